import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ConnectionCreationService } from './connection-creation.service.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import { ConnectionListsService } from './connection-lists.service.js';
import { ConnectionsController, CredentialConnectionsController } from './connections.controller.js';
import { ConnectionsListeners } from './connections.listeners.js';
import { ConnectionsResolver } from './connections.resolver.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionsStore } from './connections.store.js';
import { CredentialSecretsService } from './credentials/credential-secrets.service.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { CredentialsService } from './credentials/credentials.service.js';
import { CredentialsStore } from './credentials/credentials.store.js';
import { ConnectionKindRegistry } from './kinds/connection-kind.registry.js';
import { PingsService } from './pings.service.js';

@Module({
  imports: [OrganizationsModule],
  controllers: [ConnectionsController, CredentialsController, CredentialConnectionsController],
  providers: [
    ConnectionsService,
    ConnectionsStore,
    ConnectionCreationService,
    ConnectionListsService,
    ConnectionSecretsService,
    ConnectionKindRegistry,
    ConnectionsListeners,
    ConnectionsResolver,
    CredentialSecretsService,
    CredentialsService,
    CredentialsStore,
    PingsService,
    ConnectionsListeners,
  ],
  exports: [
    ConnectionsService,
    ConnectionsStore,
    ConnectionCreationService,
    ConnectionListsService,
    ConnectionSecretsService,
    ConnectionKindRegistry,
    CredentialsService,
    PingsService,
  ],
})
export class ConnectionsModule {}
