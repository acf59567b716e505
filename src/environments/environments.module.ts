import { Module } from '@nestjs/common';
import { ConnectionDeleted, ConnectionRestored } from '../connections/connection.events.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { getDeletionTime } from '../core/database/base.entity.js';
import { EventBus } from '../core/events/event-bus.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { EnvironmentConnectionsController } from './connections/environment-connections.controller.js';
import { EnvironmentConnectionsResolver } from './connections/environment-connections.resolver.js';
import { EnvironmentConnectionsService } from './connections/environment-connections.service.js';
import { ENVIRONMENT_EXISTS, EnvironmentConnectionsStore } from './connections/environment-connections.store.js';
import { EnvironmentDeleted, EnvironmentRestored } from './environment.events.js';
import { EnvironmentsController } from './environments.controller.js';
import { EnvironmentsResolver } from './environments.resolver.js';
import { EnvironmentsService } from './environments.service.js';
import { EnvironmentsStore } from './environments.store.js';

@Module({
  imports: [OrganizationsModule, ConnectionsModule],
  controllers: [EnvironmentsController, EnvironmentConnectionsController],
  providers: [
    EnvironmentsService,
    EnvironmentsStore,
    EnvironmentsResolver,
    EnvironmentConnectionsService,
    EnvironmentConnectionsResolver,
    EnvironmentConnectionsStore,
  ],
  exports: [EnvironmentsService, EnvironmentsStore],
})
export class EnvironmentsModule {
  constructor(mappings: EnvironmentConnectionsStore, events: EventBus) {
    events.within(EnvironmentDeleted, ({ environment }) =>
      mappings.removeAll('left', environment.id, getDeletionTime(environment)),
    );
    events.within(ConnectionDeleted, ({ connection }) =>
      mappings.removeAll('right', connection.id, getDeletionTime(connection)),
    );
    events.within(ConnectionRestored, ({ connection, deletedAt }) =>
      mappings.restoreAll('right', connection.id, deletedAt, ENVIRONMENT_EXISTS),
    );
    events.within(EnvironmentRestored, async ({ environment, deletedAt }) => {
      if (deletedAt) await mappings.restoreByEnvironment(environment.id, deletedAt);
    });
  }
}
