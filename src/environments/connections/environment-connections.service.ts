import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.entity.js';
import type { ListedConnection } from '../../connections/connection.view.js';
import { ConnectionListsService } from '../../connections/connection-lists.service.js';
import type { Actor } from '../../core/access/actor.js';
import { toRelatedRecords } from '../../core/database/related-records.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { Precondition } from '../../core/rest/precondition.js';
import { ConnectionAdded, ConnectionRemoved } from '../environment.events.js';
import { EnvironmentsService } from '../environments.service.js';
import { ConnectionsInEnvironmentStore } from './connections-in-environment.store.js';
import type { EnvironmentConnection } from './environment-connection.entity.js';
import { EnvironmentConnectionsStore } from './environment-connections.store.js';

const MAX_LISTED = 100;

/** The connections of environments. */
@Injectable()
export class EnvironmentConnectionsService {
  constructor(
    private readonly mappings: EnvironmentConnectionsStore,
    private readonly environments: EnvironmentsService,
    private readonly connections: ConnectionsInEnvironmentStore,
    private readonly lists: ConnectionListsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, environmentId: string, query: ListQuery): Promise<Page<ListedConnection>> {
    const environment = await this.environments.get(actor, environmentId);
    return this.lists.withEnvironments(actor, await this.connections.pageOfEnvironment(actor, environment, query));
  }

  /** The connections of each of these environments that the actor may read, in two statements regardless of their number. */
  async listByEnvironment(actor: Actor, environmentIds: readonly string[]): Promise<Map<string, Connection[]>> {
    const pairs = await this.mappings.findRightIds(environmentIds, MAX_LISTED);
    return toRelatedRecords(pairs, await this.connections.findAll(actor, [...pairs.values()].flat()));
  }

  /** Both must be of one organization: a connection of another is treated as absent. */
  async add(actor: Actor, environmentId: string, connectionId: string): Promise<EnvironmentConnection> {
    return this.unit.run(async () => {
      const environment = await this.environments.getForUpdate(actor, environmentId, 'connect', Precondition.none);
      const connection = await this.connections.find(actor, connectionId);
      if (connection?.organizationId !== environment.organizationId) throw new NotFound('connection', connectionId);
      const { mapping, added } = await this.mappings.add(environment.organizationId, environmentId, connectionId);
      if (added) await this.events.publish(new ConnectionAdded(actor, environment, { connection_id: connectionId }));
      return mapping;
    });
  }

  /** Listeners refuse while something is deployed through it. @throws NotFound when the connection is not in the environment */
  async remove(
    actor: Actor,
    environmentId: string,
    connectionId: string,
    match: Precondition,
  ): Promise<EnvironmentConnection> {
    return this.unit.run(async () => {
      const environment = await this.environments.getForUpdate(actor, environmentId, 'connect', Precondition.none);
      const mapping = await this.mappings.lock(environmentId, connectionId);
      if (!mapping) throw new NotFound('connection', connectionId);
      match.assertMatches(mapping);
      await this.mappings.softDelete(mapping);
      await this.events.publish(new ConnectionRemoved(actor, environment, connectionId));
      return mapping;
    });
  }
}
