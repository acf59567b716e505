import { Injectable } from '@nestjs/common';
import { Access, type ProtectedRecord } from '../../core/authorization/access.service.js';
import { permissionError } from '../../core/authorization/permission-errors.js';
import { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { Forbidden, InvalidRequest } from '../../core/errors/app-error.js';
import { freezePolicy } from '../../environments/freezes/freeze.policy.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import type { DeploymentLocation } from '../deployed-designs.store.js';
import type { FreezeOverride } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { TargetsStore } from '../targets/targets.store.js';

/** Checks rights to deployed designs: the role in the workspace, and the tier of the environment. */
@Injectable()
export class DeploymentRightsService {
  constructor(
    private readonly access: Access,
    private readonly targets: TargetsStore,
    private readonly users: UsersStore,
  ) {}

  /** @throws Forbidden when the role in the workspace or the scopes of the token are insufficient */
  async authorize(actor: Actor, operation: Operation, location: DeploymentLocation): Promise<void> {
    await this.access.authorize(actor, operation, toResource(location));
  }

  /** As `authorize`; on production it also requires an admin of the workspace. */
  async requireAccess(actor: Actor, operation: Operation, location: DeploymentLocation): Promise<void> {
    await this.authorize(actor, operation, location);
    const { tier } = await this.targets.findProtection(location.environmentId);
    if (tier !== 'production') return;
    await this.authorize(actor, deploymentPolicy.actOnProduction, location).catch((error: unknown) => {
      throw error instanceof Forbidden && error.code === 'FORBIDDEN' ? adminRequired() : error;
    });
  }

  /** Checks whether the actor may override a freeze. @throws Forbidden; InvalidRequest without a reason */
  async requireOverride(
    actor: Actor,
    { override_freeze: overrides, reason }: FreezeOverride,
    organizationId: string,
  ): Promise<void> {
    if (!overrides) return;
    await this.access.authorize(actor, freezePolicy.override, {
      type: 'organization',
      id: organizationId,
      organizationId,
    });
    if (!reason?.trim())
      throw InvalidRequest.forField(
        '/reason',
        'is required',
        'State why the freeze is overridden; an event contains the reason.',
      );
  }

  /** Whether the current role of a user allows the operation. */
  isAllowed(userId: string | null, operation: Operation, location: DeploymentLocation): Promise<boolean> {
    return this.isAllowedOn(userId, operation, toResource(location));
  }

  /** Whether a user may deploy values of Secrets, which were read from a cluster, to another place. */
  mayCarrySecretValues(userId: string | null, organizationId: string): Promise<boolean> {
    const organization = { type: 'organization' as const, id: organizationId, organizationId };
    return this.isAllowedOn(userId, deploymentPolicy.carrySecretValues, organization);
  }

  private async isAllowedOn(userId: string | null, operation: Operation, resource: ProtectedRecord): Promise<boolean> {
    const user = userId === null ? null : await this.users.find(userId);
    if (!user || user.deactivatedAt) return false;
    const actor = Actor.user(user);
    return permissionError(actor, operation, await this.access.roleOn(actor, resource)) === null;
  }
}

const toResource = ({ workspaceId, organizationId }: DeploymentLocation): ProtectedRecord => ({
  type: 'workspace',
  id: workspaceId,
  organizationId,
});

const adminRequired = (): Forbidden =>
  new Forbidden('acting on production needs an admin of the workspace', {
    remedy: 'Ask an admin of the workspace to do it.',
  });
