import { Module } from '@nestjs/common';
import { Outbound } from '../core/outbound/outbound.service.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import { ConnectionsController } from './connections.controller.js';
import { ConnectionsResolver } from './connections.resolver.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionsStore } from './connections.store.js';
import { CredentialSecretsService } from './credentials/credential-secrets.service.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { CredentialsService } from './credentials/credentials.service.js';
import { CredentialsStore } from './credentials/credentials.store.js';
import { ConnectionKindRegistry } from './kinds/connection-kind.registry.js';
import { httpKinds } from './kinds/http-kinds.js';
import { PingsService } from './pings.service.js';

@Module({
  imports: [OrganizationsModule],
  controllers: [ConnectionsController, CredentialsController],
  providers: [
    ConnectionsService,
    ConnectionsStore,
    ConnectionSecretsService,
    ConnectionKindRegistry,
    ConnectionsResolver,
    CredentialSecretsService,
    CredentialsService,
    CredentialsStore,
    PingsService,
  ],
  exports: [
    ConnectionsService,
    ConnectionsStore,
    ConnectionSecretsService,
    ConnectionKindRegistry,
    CredentialsService,
    PingsService,
  ],
})
export class ConnectionsModule {
  constructor(kinds: ConnectionKindRegistry, outbound: Outbound) {
    kinds.register(...httpKinds(outbound));
  }
}
