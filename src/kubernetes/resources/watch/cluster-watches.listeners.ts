import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectionEvent } from '../../../connections/connection.events.js';
import { CredentialUpdated } from '../../../connections/credentials/credential.events.js';
import { EventBus } from '../../../core/events/event-bus.js';
import { ClusterWatchesService } from './cluster-watches.service.js';

/**
 * Applies changes of connections and credentials to watches of this replica immediately; other replicas detect them
 * at their next heartbeat.
 */
@Injectable()
export class ClusterWatchesListeners implements OnModuleInit {
  constructor(
    private readonly events: EventBus,
    private readonly watches: ClusterWatchesService,
  ) {}

  onModuleInit(): void {
    const wake = (): void => this.watches.wake();
    this.events.after(ConnectionEvent, wake);
    this.events.after(CredentialUpdated, wake);
  }
}
