import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectionDeleted, ConnectionRestored } from '../../connections/connection.events.js';
import { ConnectionListsService } from '../../connections/connection-lists.service.js';
import { getDeletionTime } from '../../core/database/base.entity.js';
import { EventBus } from '../../core/events/event-bus.js';
import { EnvironmentDeleted, EnvironmentRestored } from '../environment.events.js';
import { ConnectionsInEnvironmentStore } from './connections-in-environment.store.js';
import { EnvironmentConnectionsStore } from './environment-connections.store.js';

/** Mappings are deleted and restored with the environment and the connection that they map. */
@Injectable()
export class EnvironmentConnectionsListeners implements OnModuleInit {
  constructor(
    private readonly mappings: EnvironmentConnectionsStore,
    private readonly connections: ConnectionsInEnvironmentStore,
    private readonly lists: ConnectionListsService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.lists.registerEnvironmentFinder((actor, ids) => this.connections.findEnvironments(actor, ids));
    this.events.within(EnvironmentDeleted, ({ environment }) =>
      this.mappings.removeAll('left', environment.id, getDeletionTime(environment)),
    );
    this.events.within(ConnectionDeleted, ({ connection }) =>
      this.mappings.removeAll('right', connection.id, getDeletionTime(connection)),
    );
    this.events.within(ConnectionRestored, ({ connection, deletedAt }) =>
      this.mappings.restoreAll('right', connection.id, deletedAt),
    );
    this.events.within(EnvironmentRestored, async ({ environment, deletedAt }) => {
      if (deletedAt) await this.mappings.restoreAll('left', environment.id, deletedAt);
    });
  }
}
