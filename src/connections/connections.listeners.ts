import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Conflict } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { Outbound } from '../core/outbound/outbound.service.js';
import { ConnectionsStore } from './connections.store.js';
import { CredentialSecretsService } from './credentials/credential-secrets.service.js';
import { CredentialDeleted } from './credentials/credential.events.js';
import { ConnectionKindRegistry } from './kinds/connection-kind.registry.js';
import { httpKinds } from './kinds/http-kinds.js';
import { countOf } from '../core/errors/wording.js';

/** Registers the kinds, and the checks of connections on the credentials that they use. */
@Injectable()
export class ConnectionsListeners implements OnModuleInit {
  constructor(
    private readonly connections: ConnectionsStore,
    private readonly kinds: ConnectionKindRegistry,
    private readonly outbound: Outbound,
    private readonly secrets: CredentialSecretsService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.kinds.register(...httpKinds(this.outbound));
    this.secrets.registerCheck(async (credentialId, secret) => {
      for (const { kind, metadata } of await this.connections.findByCredential(credentialId))
        await this.kinds.resolveSecret(this.kinds.get(kind), metadata, secret, '/secret');
    });
    this.events.within(CredentialDeleted, ({ credential }) => this.assertUnused(credential.id));
  }

  /** @throws Conflict IN_USE naming the connections that use the credential */
  private async assertUnused(credentialId: string): Promise<void> {
    const users = await this.connections.findByCredential(credentialId);
    if (users.length === 0) return;
    throw new Conflict('IN_USE', `the credential is used by ${countOf(users.length, 'connection')}`, {
      extensions: { connections: users.map(({ id, name }) => ({ id, name })) },
      remedy: 'Give these connections another credential first.',
    });
  }
}
