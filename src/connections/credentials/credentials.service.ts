import { Injectable } from '@nestjs/common';
import { Access } from '../../core/access/access.js';
import type { Actor } from '../../core/access/actor.js';
import { Vault } from '../../core/crypto/vault.js';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { OrganizationListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { given, mustEcho } from '../../core/rest/change-input.js';
import { Precondition } from '../../core/rest/precondition.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { credentialPolicy } from '../connection.policy.js';
import type { Connection } from '../connection.entity.js';
import { ConnectionsStore } from '../connections.store.js';
import { Credential } from './credential.entity.js';
import { CredentialCreated, CredentialDeleted, CredentialUpdated } from './credential.events.js';
import type { CredentialChange, NewCredential } from './credential.inputs.js';
import { CredentialView } from './credential.view.js';
import { CredentialsStore } from './credentials.store.js';

/** Secrets that connections share. Changing one reaches every connection that uses it with its next call. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly credentials: CredentialsStore,
    private readonly connections: ConnectionsStore,
    private readonly organizations: OrganizationsService,
    private readonly vault: Vault,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, query: OrganizationListQuery): Promise<Page<Credential>> {
    const organization = await this.organizations.meantBy(actor, query.organization_id);
    return this.credentials.page(actor, organization.id, query);
  }

  async get(actor: Actor, id: string): Promise<Credential> {
    return found(id, await this.credentials.find(actor, id));
  }

  /** The connections that use it. */
  async users(actor: Actor, id: string): Promise<Connection[]> {
    await this.get(actor, id);
    return this.connections.using(id);
  }

  async create(actor: Actor, input: NewCredential): Promise<Credential> {
    const organization = await this.organizations.meantBy(actor, input.organization_id);
    const id = newId();
    const secret = await this.vault.seal(organization.id, JSON.stringify(input.secret), placeOf(id));
    return this.unit.run(async () => {
      const resource = { type: 'organization' as const, id: organization.id, organizationId: organization.id };
      await this.access.require(actor, credentialPolicy.create, resource);
      const credential = await this.credentials.insert(
        Object.assign(new Credential(), {
          id,
          organizationId: organization.id,
          name: input.name,
          type: input.type,
          owner: actor.userId,
          secret,
        }),
      );
      await this.events.publish(new CredentialCreated(actor, credential));
      return credential;
    });
  }

  /** Makes a credential for one connection, under the connection's name or the next free one. */
  async createFor(
    actor: Actor,
    connection: { name: string; kind: string; organizationId: string },
    secret: object,
  ): Promise<Credential> {
    let name = connection.name;
    for (let n = 2; !(await this.credentials.isFree(connection.organizationId, name)); n++)
      name = `${connection.name} (${n})`;
    return this.create(actor, {
      name,
      type: connection.kind,
      secret: secret as Record<string, unknown>,
      organization_id: connection.organizationId,
    });
  }

  async update(
    actor: Actor,
    id: string,
    input: CredentialChange | { secret: Record<string, unknown>; name?: string },
    match = Precondition.none,
  ): Promise<Credential> {
    return this.unit.run(async () => {
      const credential = await this.open(actor, id, 'update', match);
      mustEcho(input, CredentialView.of(credential));
      const secret =
        input.secret && (await this.vault.seal(credential.organizationId, JSON.stringify(input.secret), placeOf(id)));
      await this.credentials.update(credential, given({ name: input.name, secret }));
      await this.events.publish(new CredentialUpdated(actor, credential));
      return credential;
    });
  }

  async delete(actor: Actor, id: string, match: Precondition): Promise<Credential> {
    return this.unit.run(async () => {
      const credential = await this.open(actor, id, 'delete', match);
      const users = await this.connections.using(id);
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

  /** A credential of another organization is to this one as if it did not exist. */
  mustBeOf(credential: Credential, organizationId: string): Credential {
    if (credential.organizationId !== organizationId) throw new NotFound('credential', credential.id);
    return credential;
  }

  /** The secret in clear, for calling the other side; it goes nowhere else. `revision` moves whenever it changes. */
  async reveal(id: string): Promise<{ secret: Record<string, unknown>; revision: number }> {
    const sealed = await this.credentials.sealed(id);
    if (!sealed) throw new NotFound('credential', id);
    const text = await this.vault.open(sealed.secret, placeOf(id));
    return { secret: JSON.parse(text.toString()) as Record<string, unknown>, revision: sealed.revision };
  }

  private async open(
    actor: Actor,
    id: string,
    operation: keyof typeof credentialPolicy,
    match: Precondition,
  ): Promise<Credential> {
    const credential = found(id, await this.credentials.lock(actor, id));
    const { organizationId } = credential;
    await this.access.require(actor, credentialPolicy[operation], {
      type: 'organization',
      id: organizationId,
      organizationId,
    });
    match.check(credential);
    return credential;
  }
}

/** What the sealed secret is bound to. */
const placeOf = (id: string): string => `credential ${id}`;

function found(id: string, credential: Credential | null): Credential {
  if (!credential) throw new NotFound('credential', id);
  return credential;
}
