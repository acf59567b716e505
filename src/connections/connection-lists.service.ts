import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import type { ListQuery, OrganizationListQuery } from '../core/listing/list-query.js';
import type { Page } from '../core/listing/page.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type { Connection } from './connection.entity.js';
import type { EnvironmentName, ListedConnection } from './connection.view.js';
import { type ConnectionFilter, ConnectionsStore } from './connections.store.js';
import { CredentialsService } from './credentials/credentials.service.js';

/** Finds the environments of each of these connections that the actor may see. */
type EnvironmentFinder = (actor: Actor, connectionIds: string[]) => Promise<Map<string, EnvironmentName[]>>;

/** Lists connections with the environments that they are in. */
@Injectable()
export class ConnectionListsService {
  private findEnvironments: EnvironmentFinder = () => Promise.resolve(new Map<string, EnvironmentName[]>());

  constructor(
    private readonly connections: ConnectionsStore,
    private readonly organizations: OrganizationsService,
    private readonly credentials: CredentialsService,
  ) {}

  /** Registers the lookup; the module that maps connections to environments provides it. */
  registerEnvironmentFinder(finder: EnvironmentFinder): void {
    this.findEnvironments = finder;
  }

  async list(actor: Actor, query: ConnectionFilter & OrganizationListQuery): Promise<Page<ListedConnection>> {
    const organization = await this.organizations.resolve(actor, query.organization_id);
    return this.withEnvironments(actor, await this.connections.page(actor, organization.id, query));
  }

  /** The connections that use a credential. */
  async listByCredential(actor: Actor, credentialId: string, query: ListQuery): Promise<Page<Connection>> {
    await this.credentials.get(actor, credentialId);
    return this.connections.pageByCredential(credentialId, query);
  }

  /** Returns the environments in which the actor may see a connection, as lists contain them. */
  async listEnvironments(actor: Actor, connectionId: string): Promise<EnvironmentName[]> {
    return (await this.findEnvironments(actor, [connectionId])).get(connectionId) ?? [];
  }

  /** Adds to each connection of a page its environments that the actor may see. */
  async withEnvironments(actor: Actor, page: Page<Connection>): Promise<Page<ListedConnection>> {
    const environments = await this.findEnvironments(
      actor,
      page.items.map((connection) => connection.id),
    );
    const items = page.items.map((connection) => ({ connection, environments: environments.get(connection.id) ?? [] }));
    return { ...page, items };
  }
}
