import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { isDatabaseOutage } from '../core/database/database-outage.js';
import { AppError, Conflict, RemoteFailure } from '../core/errors/app-error.js';
import type { Connection } from './connection.entity.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import type { ConnectionStatus } from './connection-status.js';
import { ConnectionView } from './connection.view.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionKindRegistry } from './kinds/connection-kind.registry.js';
import { redactSecrets } from './redact-secrets.js';

const PINGABLE_STATUSES: readonly ConnectionStatus[] = ['registered', 'disconnected', 'maintenance', 'connected'];

/** Tries whether the other side of a connection answers, and keeps what it found as the connection's status. */
@Injectable()
export class PingsService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly secrets: ConnectionSecretsService,
    private readonly kinds: ConnectionKindRegistry,
  ) {}

  /**
   * A success makes the connection `connected`; a failure makes a connected one `disconnected` and is thrown as 502 or
   * 504 with the record under `connection`.
   */
  async ping(actor: Actor, id: string): Promise<Connection> {
    const connection = await this.connections.get(actor, id);
    await this.connections.requireAccess(actor, 'ping', connection);
    const kind = this.kinds.get(connection.kind);
    if (!kind.probe) throw new Conflict('PING_UNSUPPORTED', `connections of kind ${connection.kind} cannot be pinged`);
    if (!PINGABLE_STATUSES.includes(connection.status))
      throw new Conflict('ILLEGAL_STATUS', `a connection that is ${connection.status} is not called`, {
        remedy: 'Register it first: PUT with status registered.',
      });
    const { secret } = await this.secrets.reveal(connection);
    try {
      const facts = await kind.probe(connection.metadata, secret);
      return await this.connections.recordProbe(actor, id, 'connected', facts);
    } catch (error) {
      if (isDatabaseOutage(error)) throw error;
      const failure = toRemoteFailure(error, secret);
      const observed = await this.connections.recordProbe(actor, id, 'disconnected', {});
      throw failure.withExtensions({ connection: ConnectionView.fromEntity(observed) });
    }
  }
}

/**
 * What is told of a failure. The other side may send back what it was sent: the secret is taken out of its words, and
 * what the failure was made of is left behind.
 */
function toRemoteFailure(error: unknown, secret: object | null): RemoteFailure {
  if (!(error instanceof AppError) || (error.status < 500 && error.code !== 'OUTBOUND_REFUSED')) throw error;
  const { code, message, remedy, status } = error;
  return new RemoteFailure(code, redactSecrets(message, secret), { remedy, timedOut: status === 504 });
}
