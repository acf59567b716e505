import { Injectable } from '@nestjs/common';
import { Access } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { InvalidRequest, NotFound } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import type { OrganizationListQuery } from '../core/listing/list-query.js';
import type { Page } from '../core/listing/page.js';
import { cleared, given, mustEcho } from '../core/rest/change-input.js';
import { Precondition } from '../core/rest/precondition.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { Connection } from './connection.entity.js';
import {
  ConnectionCreated,
  ConnectionDeleted,
  ConnectionStatusChanged,
  ConnectionUpdated,
} from './connection.events.js';
import type { ConnectionChange, NewConnection } from './connection.inputs.js';
import { connectionPolicy } from './connection.policy.js';
import { type ConnectionStatus, mustMove } from './connection-status.js';
import { ConnectionView, type ListedConnection } from './connection.view.js';
import { ConnectionSecrets } from './connection-secrets.js';
import { ConnectionsStore } from './connections.store.js';

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly connections: ConnectionsStore,
    private readonly secrets: ConnectionSecrets,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, query: OrganizationListQuery): Promise<Page<ListedConnection>> {
    const organization = await this.organizations.meantBy(actor, query.organization_id);
    return this.listed(actor, await this.connections.page(actor, organization.id, query));
  }

  /** A page of connections, each with the environments that the actor may see it in. */
  async listed(actor: Actor, page: Page<Connection>): Promise<Page<ListedConnection>> {
    const environments = await this.connections.environmentsOf(
      actor,
      page.items.map((connection) => connection.id),
    );
    const items = page.items.map((connection) => ({ connection, environments: environments.get(connection.id) ?? [] }));
    return { ...page, items };
  }

  async get(actor: Actor, id: string): Promise<Connection> {
    return found(id, await this.connections.find(actor, id));
  }

  async create(actor: Actor, input: NewConnection, fingerprint: string | null = null): Promise<Connection> {
    const organization = await this.organizations.meantBy(actor, input.organization_id);
    await this.access.require(actor, connectionPolicy.create, {
      type: 'organization',
      id: organization.id,
      organizationId: organization.id,
    });
    if (input.credential_id && input.credential_secret)
      throw InvalidRequest.at('/credential_secret', 'cannot be combined with credential_id', 'Send one of the two.');
    const { kind, metadata, secret } = await this.secrets.accept(
      input.kind,
      input.metadata ?? {},
      input.credential_secret ?? null,
    );
    return this.unit.run(async () => {
      const connection: Connection = Object.assign(new Connection(), {
        organizationId: organization.id,
        name: input.name,
        kind: input.kind,
        type: input.type ?? kind.type,
        subType: input.sub_type ?? kind.subType,
        status: input.status ?? 'registered',
        metadata,
        credentialId: null,
        owner: actor.userId,
        fingerprint,
      });
      connection.credentialId = await this.secrets.credentialFor(actor, connection, input.credential_id, secret);
      await this.connections.insert(connection);
      await this.events.publish(new ConnectionCreated(actor, connection));
      return connection;
    });
  }

  async update(actor: Actor, id: string, input: ConnectionChange, match = Precondition.none): Promise<Connection> {
    const current = await this.get(actor, id);
    const { metadata, secret } = await this.secrets.accept(
      current.kind,
      input.metadata === undefined ? current.metadata : (input.metadata ?? {}),
      input.credential_secret ?? null,
    );
    return this.unit.run(async () => {
      const connection = await this.open(actor, id, 'update', match);
      mustEcho(input, ConnectionView.of(connection));
      if (input.status) mustMove(connection.status, input.status);
      const from = connection.status;
      const credentialId = await this.secrets.changedCredential(actor, connection, input.credential_id, secret);
      await this.connections.update(
        connection,
        given({
          name: input.name,
          type: input.type,
          subType: input.sub_type,
          metadata: input.metadata === undefined && !secret ? undefined : cleared(metadata, {}),
          credentialId,
          status: input.status,
        }),
      );
      await this.events.publish(new ConnectionUpdated(actor, connection));
      if (connection.status !== from) await this.events.publish(new ConnectionStatusChanged(actor, connection, from));
      return connection;
    });
  }

  /** Notes what a call to the other side found: the status it shows, and what it says of itself. */
  async observe(
    actor: Actor,
    id: string,
    status: ConnectionStatus,
    facts: Record<string, unknown>,
  ): Promise<Connection> {
    return this.unit.run(async () => {
      const connection = found(id, await this.connections.lock(actor, id));
      const { status: from, metadata } = connection;
      const changed = Object.entries(facts).some(([key, value]) => metadata[key] !== value);
      if (from === status && !changed) return connection;
      await this.connections.update(connection, { status, metadata: { ...metadata, ...facts } });
      if (from !== status) await this.events.publish(new ConnectionStatusChanged(actor, connection, from));
      return connection;
    });
  }

  /** Its mappings go with it; listeners refuse while something is deployed through it. */
  async delete(actor: Actor, id: string, match: Precondition): Promise<Connection> {
    return this.unit.run(async () => {
      const connection = await this.open(actor, id, 'delete', match);
      await this.connections.update(connection, { status: 'deleted', deletedAt: new Date() });
      await this.events.publish(new ConnectionDeleted(actor, connection));
      return connection;
    });
  }

  /** @throws Forbidden when the actor may not do this with the connection */
  require(actor: Actor, operation: keyof typeof connectionPolicy, { id, organizationId }: Connection): Promise<void> {
    return this.access.require(actor, connectionPolicy[operation], { type: 'connection', id, organizationId });
  }

  private async open(
    actor: Actor,
    id: string,
    operation: keyof typeof connectionPolicy,
    match: Precondition,
  ): Promise<Connection> {
    const connection = found(id, await this.connections.lock(actor, id));
    await this.require(actor, operation, connection);
    match.check(connection);
    return connection;
  }
}

function found(id: string, connection: Connection | null): Connection {
  if (!connection) throw new NotFound('connection', id);
  return connection;
}
