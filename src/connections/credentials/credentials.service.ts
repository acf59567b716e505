import { Injectable } from '@nestjs/common';
import { Access } from '../../core/access/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { OrganizationListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { definedFields, assertReadOnlyUnchanged } from '../../core/rest/read-only-fields.js';
import { Precondition } from '../../core/rest/precondition.js';
import type { RecordAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { credentialPolicy } from '../connection.policy.js';
import type { Connection } from '../connection.entity.js';
import { ConnectionsStore } from '../connections.store.js';
import { CredentialSecretsService } from './credential-secrets.service.js';
import { Credential } from './credential.entity.js';
import { CredentialCreated, CredentialDeleted, CredentialUpdated } from './credential.events.js';
import type { CredentialChange, NewCredential } from './credential.inputs.js';
import { CredentialView } from './credential.view.js';
import { CredentialsStore } from './credentials.store.js';

/** Secrets that connections share. Changing one reaches every connection that uses it with its next call. */
@Injectable()
export class CredentialsService implements RecordAuthorizer {
  constructor(
    private readonly credentials: CredentialsStore,
    private readonly connections: ConnectionsStore,
    private readonly organizations: OrganizationsService,
    private readonly secrets: CredentialSecretsService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, query: OrganizationListQuery): Promise<Page<Credential>> {
    const organization = await this.organizations.resolve(actor, query.organization_id);
    return this.credentials.page(actor, organization.id, query);
  }

  async get(actor: Actor, id: string): Promise<Credential> {
    return orNotFound(id, await this.credentials.find(actor, id));
  }

  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    const { organizationId } = await this.get(actor, id);
    await this.access.authorize(actor, operation, { type: 'organization', id: organizationId, organizationId });
  }

  /** The connections that use it. */
  async listConnections(actor: Actor, id: string): Promise<Connection[]> {
    await this.get(actor, id);
    return this.connections.findByCredential(id);
  }

  async create(actor: Actor, input: NewCredential): Promise<Credential> {
    const organization = await this.organizations.resolve(actor, input.organization_id);
    await this.requireAccess(actor, 'create', organization.id);
    const credential = newCredential(actor, organization.id, input.name, input.type);
    credential.secret = await this.secrets.seal(credential, await this.secrets.normalize(input.type, input.secret));
    return this.unit.run(() => this.add(actor, credential));
  }

  /** Makes a credential for one connection, under the connection's name or the next free one; the secret has been checked. */
  async createFor(
    actor: Actor,
    connection: { name: string; kind: string; organizationId: string },
    secret: Record<string, unknown>,
  ): Promise<Credential> {
    const { organizationId, kind } = connection;
    await this.requireAccess(actor, 'create', organizationId);
    return this.unit.run(async () => {
      const name = await this.credentials.findFreeName(organizationId, connection.name);
      const credential = newCredential(actor, organizationId, name, kind);
      credential.secret = await this.secrets.seal(credential, secret);
      return this.add(actor, credential);
    });
  }

  async update(actor: Actor, id: string, input: CredentialChange, match: Precondition): Promise<Credential> {
    const { organizationId, type } = await this.get(actor, id);
    await this.requireAccess(actor, 'update', organizationId);
    const taken = input.secret && (await this.secrets.normalize(type, input.secret));
    return this.unit.run(async () => {
      const credential = await this.getForUpdate(actor, id, 'update', match);
      assertReadOnlyUnchanged(input, CredentialView.fromEntity(credential));
      const secret = taken && (await this.secrets.seal(credential, taken));
      return this.change(actor, credential, { name: input.name, secret });
    });
  }

  /** Replaces the secret, for every connection that uses it, by one that a connection's kind has taken. */
  async replaceSecret(actor: Actor, id: string, taken: Record<string, unknown>): Promise<Credential> {
    return this.unit.run(async () => {
      const credential = await this.getForUpdate(actor, id, 'update', Precondition.none);
      return this.change(actor, credential, { secret: await this.secrets.seal(credential, taken) });
    });
  }

  async delete(actor: Actor, id: string, match: Precondition): Promise<Credential> {
    return this.unit.run(async () => {
      const credential = await this.getForUpdate(actor, id, 'delete', match);
      const users = await this.connections.findByCredential(id);
      if (users.length > 0)
        throw new Conflict('IN_USE', `${users.length} connections use this credential`, {
          extensions: { connections: users.map((user) => ({ id: user.id, name: user.name })) },
          remedy: 'Give these connections another credential first.',
        });
      await this.credentials.softDelete(credential);
      await this.events.publish(new CredentialDeleted(actor, credential));
      return credential;
    });
  }

  /**
   * The credential, held until the end of the unit of work so that it is not deleted meanwhile. One of another
   * organization is to this one as if it did not exist.
   * @throws NotFound
   */
  async getOfOrganizationForUpdate(actor: Actor, id: string, organizationId: string): Promise<Credential> {
    const credential = orNotFound(id, await this.credentials.lock(actor, id));
    if (credential.organizationId !== organizationId) throw new NotFound('credential', id);
    return credential;
  }

  private async add(actor: Actor, credential: Credential): Promise<Credential> {
    await this.credentials.insert(credential);
    await this.events.publish(new CredentialCreated(actor, credential));
    return credential;
  }

  private async change(
    actor: Actor,
    credential: Credential,
    fields: { name?: string; secret?: Buffer },
  ): Promise<Credential> {
    await this.credentials.update(credential, definedFields(fields));
    await this.events.publish(new CredentialUpdated(actor, credential));
    return credential;
  }

  private async getForUpdate(
    actor: Actor,
    id: string,
    operation: keyof typeof credentialPolicy,
    match: Precondition,
  ): Promise<Credential> {
    const credential = orNotFound(id, await this.credentials.lock(actor, id));
    await this.requireAccess(actor, operation, credential.organizationId);
    match.assertMatches(credential);
    return credential;
  }

  private requireAccess(actor: Actor, operation: keyof typeof credentialPolicy, organizationId: string): Promise<void> {
    const resource = { type: 'organization' as const, id: organizationId, organizationId };
    return this.access.authorize(actor, credentialPolicy[operation], resource);
  }
}

function newCredential(actor: Actor, organizationId: string, name: string, type: string): Credential {
  return Object.assign(new Credential(), { id: newId(), organizationId, name, type, owner: actor.userId });
}

function orNotFound(id: string, credential: Credential | null): Credential {
  if (!credential) throw new NotFound('credential', id);
  return credential;
}
