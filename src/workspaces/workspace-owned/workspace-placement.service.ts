import { Injectable } from '@nestjs/common';
import { Access } from '../../core/access/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import type { RequestFields } from '../../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import type { Workspace } from '../workspace.entity.js';
import { WorkspacesService } from '../workspaces.service.js';

/** Where a body says that a new record goes. */
export interface PlacementInput {
  workspace_id?: string;
  organization_id?: string;
}

/** Finds the workspaces that new records go into. */
@Injectable()
export class WorkspacePlacementService implements PlacementAuthorizer {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
  ) {}

  /** In the caller's default workspace they may make what they like, so that only the organization is judged. */
  async authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void> {
    const workspace = fields.id('workspace_id');
    const organization = fields.id('organization_id');
    if (workspace) await this.workspaces.authorize(actor, operation, workspace);
    else if (organization) await this.organizations.get(actor, organization);
  }

  /** The workspace of the body, else the caller's default one; the caller must be allowed to make such records there. */
  async resolve(
    actor: Actor,
    { workspace_id, organization_id }: PlacementInput,
    create: Operation,
  ): Promise<Workspace> {
    const workspace = workspace_id
      ? await this.workspaces.get(actor, workspace_id)
      : await this.workspaces.getOrCreatePersonal(actor, (await this.organizations.resolve(actor, organization_id)).id);
    const { id, organizationId } = workspace;
    await this.access.authorize(actor, create, { type: 'workspace', id, organizationId });
    workspace.assertActive();
    return workspace;
  }
}
