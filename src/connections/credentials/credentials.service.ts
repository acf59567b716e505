import { Injectable } from '@nestjs/common';
import { Access, type ProtectedRecord } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { OrganizationListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { definedFields } from '../../core/rest/read-only-fields.js';
import { Precondition } from '../../core/rest/precondition.js';
import { RecordGate } from '../../core/records/record-gate.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { CredentialSecretsService } from './credential-secrets.service.js';
import { Credential } from './credential.entity.js';
import { CredentialCreated, CredentialDeleted, CredentialUpdated } from './credential.events.js';
import type { CredentialChange, NewCredential } from './credential.inputs.js';
import { credentialPolicy } from './credential.policy.js';
import { CredentialView } from './credential.view.js';
import { CredentialsStore } from './credentials.store.js';

/** Secrets that connections share. A change applies to every connection that uses it from its next call. */
@Injectable()
export class CredentialsService extends RecordGate<Credential, typeof credentialPolicy> {
  constructor(
    private readonly credentials: CredentialsStore,
    private readonly organizations: OrganizationsService,
    private readonly secrets: CredentialSecretsService,
    access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {
    super(access, {
      name: 'credential',
      policy: credentialPolicy,
      store: credentials,
      getProtectedRecord: organizationOf,
      toView: CredentialView.fromEntity,
    });
  }

  async list(actor: Actor, query: OrganizationListQuery): Promise<Page<Credential>> {
    const organization = await this.organizations.resolve(actor, query.organization_id);
    return this.credentials.page(actor, organization.id, query);
  }

  async create(actor: Actor, input: NewCredential): Promise<Credential> {
    const organization = await this.organizations.resolve(actor, input.organization_id);
    const credential = newCredential(actor, organization.id, input.name, input.type);
    await this.requireAccess(actor, 'create', credential);
    credential.secret = await this.secrets.seal(credential, await this.secrets.normalize(input.type, input.secret));
    return this.unit.run(() => this.add(actor, credential));
  }

  /** Creates a credential for one connection, under the connection's name or the next free one; the secret has been validated. */
  async createFor(
    actor: Actor,
    connection: { name: string; kind: string; organizationId: string },
    secret: Record<string, unknown>,
  ): Promise<Credential> {
    const { organizationId, kind } = connection;
    await this.access.authorize(actor, credentialPolicy.create, organizationOf(connection));
    return this.unit.run(async () => {
      const name = await this.credentials.findFreeName(organizationId, connection.name);
      const credential = newCredential(actor, organizationId, name, kind);
      credential.secret = await this.secrets.seal(credential, secret);
      return this.add(actor, credential);
    });
  }

  async update(actor: Actor, id: string, input: CredentialChange, match: Precondition): Promise<Credential> {
    const current = await this.getAuthorized(actor, id, 'update');
    const taken = input.secret && (await this.secrets.normalize(current.type, input.secret));
    if (taken) await this.secrets.assertUsable(id, taken);
    return this.unit.run(async () => {
      const credential = await this.getForChange(actor, id, input, match);
      const secret = taken && (await this.secrets.seal(credential, taken));
      return this.change(actor, credential, {
        ...definedFields({ name: input.name }),
        ...(secret && { secret, enteredBy: actor.userId }),
      });
    });
  }

  /** Replaces the secret of every connection that uses the credential, which are known to be able to use it. */
  async replaceSecret(actor: Actor, id: string, taken: Record<string, unknown>): Promise<Credential> {
    return this.unit.run(async () => {
      const credential = await this.getForUpdate(actor, id, 'update', Precondition.none);
      const secret = await this.secrets.seal(credential, taken);
      return this.change(actor, credential, { secret, enteredBy: actor.userId });
    });
  }

  /** Deletes a credential. Listeners refuse while it is in use. */
  async delete(actor: Actor, id: string, match: Precondition): Promise<Credential> {
    return this.unit.run(async () => {
      const credential = await this.getForUpdate(actor, id, 'delete', match);
      await this.credentials.softDelete(credential);
      await this.events.publish(new CredentialDeleted(actor, credential));
      return credential;
    });
  }

  /** A credential of another organization is not found. @throws NotFound */
  async getOfOrganization(actor: Actor, id: string, organizationId: string): Promise<Credential> {
    const credential = await this.get(actor, id);
    if (credential.organizationId !== organizationId) throw new NotFound('credential', id);
    return credential;
  }

  /**
   * Locks the credential until the end of the transaction, so that it is not deleted concurrently. A credential of another
   * organization is not found.
   * @throws NotFound
   */
  async getOfOrganizationForUpdate(actor: Actor, id: string, organizationId: string): Promise<Credential> {
    const credential = this.orNotFound(id, await this.credentials.lock(actor, id));
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
    fields: Partial<Pick<Credential, 'name' | 'secret' | 'enteredBy'>>,
  ): Promise<Credential> {
    if (await this.credentials.change(credential, fields))
      await this.events.publish(new CredentialUpdated(actor, credential));
    return credential;
  }
}

const organizationOf = ({ organizationId }: { organizationId: string }): ProtectedRecord => ({
  type: 'organization',
  id: organizationId,
  organizationId,
});

function newCredential(actor: Actor, organizationId: string, name: string, type: string): Credential {
  const { userId } = actor;
  return Object.assign(new Credential(), {
    ...{ id: newId(), organizationId, name, type, owner: userId, enteredBy: userId },
  });
}
