import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import { Conflict } from '../core/errors/app-error.js';
import type { Connection } from './connection.entity.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import { assertCallable } from './connection-status.js';
import { ConnectionView } from './connection.view.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionKindRegistry } from './kinds/connection-kind.registry.js';
import { toRemoteFailure } from '../core/outbound/redact-secrets.js';

/** Calls the remote system of a connection, and stores the result as the connection's status. */
@Injectable()
export class PingsService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly secrets: ConnectionSecretsService,
    private readonly kinds: ConnectionKindRegistry,
  ) {}

  /**
   * After a success, the connection is `connected`. After a failure, a connected one is `disconnected`.
   * @throws AppError 502 or 504 with the record under `connection`
   */
  async ping(actor: Actor, id: string): Promise<Connection> {
    const connection = await this.connections.getAuthorized(actor, id, 'ping');
    const kind = this.kinds.get(connection.kind);
    if (!kind.probe)
      throw new Conflict('PING_UNSUPPORTED', `connections of kind ${connection.kind} cannot be pinged`, {
        remedy: 'GET /api/integrations/connections/kinds lists the kinds that can be pinged.',
      });
    assertCallable(connection.status);
    const { metadata, secret } = await this.secrets.reveal(connection);
    try {
      const facts = await kind.probe(metadata, secret);
      return await this.connections.recordProbe(actor, id, 'connected', facts);
    } catch (error) {
      if (isDatabaseOutage(error)) throw error;
      const failure = toRemoteFailure(error, secret);
      const observed = await this.connections.recordProbe(actor, id, 'disconnected', {});
      throw failure.withExtensions({ connection: ConnectionView.fromEntity(observed) });
    }
  }
}
