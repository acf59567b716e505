import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ConnectionsInEnvironmentStore } from './connections/connections-in-environment.store.js';
import { EnvironmentConnectionsController } from './connections/environment-connections.controller.js';
import { EnvironmentConnectionsListeners } from './connections/environment-connections.listeners.js';
import { EnvironmentConnectionsResolver } from './connections/environment-connections.resolver.js';
import { EnvironmentConnectionsService } from './connections/environment-connections.service.js';
import { EnvironmentConnectionsStore } from './connections/environment-connections.store.js';
import { FreezesController } from './freezes/freezes.controller.js';
import { FreezesService } from './freezes/freezes.service.js';
import { FreezesStore } from './freezes/freezes.store.js';
import { EnvironmentsController } from './environments.controller.js';
import { EnvironmentsResolver } from './environments.resolver.js';
import { EnvironmentsService } from './environments.service.js';
import { EnvironmentsStore } from './environments.store.js';

@Module({
  imports: [OrganizationsModule, ConnectionsModule],
  controllers: [EnvironmentsController, EnvironmentConnectionsController, FreezesController],
  providers: [
    EnvironmentsService,
    EnvironmentsStore,
    EnvironmentsResolver,
    EnvironmentConnectionsService,
    EnvironmentConnectionsListeners,
    ConnectionsInEnvironmentStore,
    EnvironmentConnectionsResolver,
    EnvironmentConnectionsStore,
    FreezesService,
    FreezesStore,
  ],
  exports: [EnvironmentsService, EnvironmentsStore, EnvironmentConnectionsService, FreezesService],
})
export class EnvironmentsModule {}
