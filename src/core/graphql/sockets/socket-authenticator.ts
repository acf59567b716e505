import { Logger } from '@nestjs/common';
import type { Authenticator } from '../../access/authenticator.js';
import { whenExpired } from '../../access/token-expiry.js';
import { AppError, Unauthenticated } from '../../errors/app-error.js';
import { limitRemedy } from '../../errors/limit-remedy.js';
import { CloseCode } from './close-codes.js';
import type { SocketConnection } from './socket-connection.js';

/** Authenticates sockets by their tokens, and closes them when a token ends or a user has too many sockets. */
export class SocketAuthenticator {
  private readonly logger = new Logger(SocketAuthenticator.name);
  private readonly byUser = new Map<string, Set<SocketConnection>>();
  /** Counts revocations, to detect one that happens while a token is being verified. */
  private revocations = 0;
  private readonly timers = new Map<SocketConnection, () => void>();
  private readonly stopListening: () => void;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly perUser: number,
    private readonly onRefused: (error: AppError) => void = () => undefined,
  ) {
    this.stopListening = authenticator.onRevoked((revoked) => this.handleRevoked(revoked));
  }

  /**
   * Authenticates a connection by the payload of connection_init, or closes it with the reason.
   * @returns whether it is authenticated
   */
  async admit(connection: SocketConnection, params: Readonly<Record<string, unknown>> = {}): Promise<boolean> {
    // Browsers cannot send the Authorization header with a handshake, so the payload replaces it.
    const authorization = toBearer(params['Authorization'] ?? params['authorization']);
    connection.request.headers.authorization = authorization;
    if (!authorization) {
      const remedy = 'Send {"Authorization": "Bearer <token>"} as the payload of connection_init.';
      this.onRefused(new Unauthenticated('a bearer token is required', { remedy }));
      connection.close(CloseCode.Unauthenticated, remedy);
      return false;
    }
    if (!(await this.tryToken(connection)) || !this.addConnection(connection)) return false;
    this.endWithToken(connection);
    connection.checkRepeatedly(() => this.reauthenticate(connection));
    return true;
  }

  /** Rejects the token without verification when the network has sent too many invalid ones. */
  private async tryToken(connection: SocketConnection): Promise<boolean> {
    try {
      return await this.authenticate(connection);
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 429) throw error;
      connection.close(CloseCode.TooMany, error.message);
      return false;
    }
  }

  /** Verifies the token of a connection again, and its user; closes the connection when it is no longer valid. */
  async authenticate(connection: SocketConnection): Promise<boolean> {
    let seen: number;
    try {
      do {
        seen = this.revocations;
        connection.actor = await this.authenticator.authenticate(connection.request, () => connection.network);
      } while (seen !== this.revocations);
    } catch (error) {
      if (!(error instanceof AppError) || (error.status !== 401 && error.status !== 403)) throw error;
      this.onRefused(error);
      connection.close(CloseCode.Forbidden, error.message);
    }
    return connection.isOpen;
  }

  /** Releases the connection's slot of its user. */
  release(connection: SocketConnection): void {
    this.timers.get(connection)?.();
    this.timers.delete(connection);
    const userId = connection.actor?.userId ?? '';
    const own = this.byUser.get(userId);
    if (own?.delete(connection) && own.size === 0) this.byUser.delete(userId);
  }

  stop(): void {
    this.stopListening();
  }

  /** Verifies the token; during a database outage the next check does so. */
  private reauthenticate(connection: SocketConnection): void {
    this.authenticate(connection).catch((error: unknown) => this.logger.warn((error as Error).message));
  }

  private endWithToken(connection: SocketConnection): void {
    if (!connection.actor) return;
    const stop = whenExpired(connection.actor, () => connection.close(CloseCode.Forbidden, 'The token has expired.'));
    this.timers.set(connection, stop);
  }

  private addConnection(connection: SocketConnection): boolean {
    const userId = connection.actor?.userId ?? '';
    const own = this.byUser.get(userId) ?? new Set();
    if (own.size < this.perUser) this.byUser.set(userId, own.add(connection));
    else
      connection.close(
        CloseCode.TooMany,
        limitRemedy(`One user may have ${this.perUser} sockets at a time.`, 'LIMIT_SOCKETS_PER_USER'),
      );
    return connection.isOpen;
  }

  private handleRevoked({ userId, sessionId }: { userId: string; sessionId: string | null }): void {
    this.revocations++;
    for (const connection of [...(this.byUser.get(userId) ?? [])])
      if (sessionId === null || connection.actor?.sessionId === sessionId)
        connection.close(CloseCode.Forbidden, 'The token has been revoked.');
  }
}

/** Some clients omit the scheme Bearer. */
function toBearer(value: unknown): string | undefined {
  const token = typeof value === 'string' ? value.replace(/^bearer(\s+|$)/i, '').trim() : '';
  return token ? `Bearer ${token}` : undefined;
}
