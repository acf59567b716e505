import { Injectable, Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import {
  DatabaseUnavailable,
  isConnectionError,
  isConnectTimeout,
  PoolExhausted,
  refusesChanges,
} from '../errors/database-outage.js';
import { type Connect, type ConnectCallback, getPool, wrapConnect } from '../patches/pg/pool-connect.js';
import { currentRequester } from '../telemetry/requester.js';
import { ConnectionShares } from './connection-shares.js';

const READ_ONLY = '25006';
const NO_CONNECTIONS = 'refuses connections';

/** How long a refusal counts as recent; jobs write every second. */
const RECENT_MS = 10_000;

/** How long a call waits for a connection of the pool. */
const WAIT_MS = 10_000;

/**
 * Tracks whether the database is reachable, as reported by the listening session. While it is not, requests for a
 * connection fail immediately instead of waiting or trying to connect.
 */
@Injectable()
export class DatabaseAvailability {
  private readonly logger = new Logger('Database');
  private readonly clients = new Set<pg.Client>();
  /** Rejects the calls that wait for a connection of the pool. */
  private readonly waiting = new Set<(error: Error) => void>();
  /**
   * Connections on which the database was read-only. They are closed, because after a failover a new connection
   * may reach the primary.
   */
  private readonly readOnly = new WeakSet<pg.PoolClient>();
  private unavailableSince: number | null = null;
  private refusal: { text: string; at: number } | null = null;
  private recovered?: NodeJS.Timeout;
  private warnedAt = -Infinity;

  get isUnavailable(): boolean {
    return this.unavailableSince !== null;
  }

  /** Why the database recently refused connections or changes; undefined when it did not. */
  get refused(): string | undefined {
    return this.refusal && performance.now() - this.refusal.at < RECENT_MS ? this.refusal.text : undefined;
  }

  /** Why the database recently refused changes; undefined when it did not. */
  get refusedChange(): string | undefined {
    return this.refused === NO_CONNECTIONS ? undefined : this.refused;
  }

  /** Marks the database as unreachable: pending requests for a connection and pending statements fail immediately. */
  markUnavailable(place: string, reason: unknown): void {
    if (!this.isUnavailable) {
      const because = reason instanceof Error ? reason.message || (reason as { code?: string }).code : String(reason);
      this.logger.warn(`the database at ${place} does not answer (${because}): calls are answered 503 until it does`);
      this.unavailableSince = performance.now();
    }
    for (const refuse of [...this.waiting]) refuse(new DatabaseUnavailable(reason));
    this.dropConnections(reason);
  }

  /** Marks the database as reachable. */
  markAvailable(): void {
    if (this.unavailableSince === null) return;
    const seconds = ((performance.now() - this.unavailableSince) / 1000).toFixed(1);
    this.unavailableSince = null;
    this.logger.log(`the database answers again after ${seconds} s`);
  }

  /** Destroys all connections without waiting for the server. */
  dropConnections(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error('Connection terminated');
    for (const { connection } of [...this.clients]) connection.stream.destroy(error);
  }

  /**
   * Makes the pool of a data source reject requests for a connection during an outage, and shares its connections among
   * organizations.
   */
  guardPool(dataSource: DataSource): ConnectionShares {
    const pool = getPool(dataSource);
    pool.on('acquire', (client) => {
      if (!(client instanceof pg.Client) || this.clients.has(client)) return;
      this.clients.add(client);
      client.once('end', () => this.clients.delete(client));
      client.connection.on('errorMessage', (error: pg.DatabaseError) => this.handleRefusedStatement(client, error));
    });
    const shares = new ConnectionShares(pool.options.max);
    wrapConnect(pool, (connect) => (callback) => this.connectGuarded(connect, shares, callback));
    return shares;
  }

  private connectGuarded(connect: Connect, shares: ConnectionShares, callback: ConnectCallback): void {
    if (this.isUnavailable) return callback(new DatabaseUnavailable(), undefined, () => undefined);
    const { organization } = currentRequester();
    const refuse = (error: Error): void => {
      if (!this.waiting.delete(refuse)) return;
      clearTimeout(timer);
      leave();
      callback(error, undefined, () => undefined);
    };
    const isLate = (): void => {
      this.warn(`no connection was free for ${WAIT_MS / 1000} s: ${shares.busy} busy, ${shares.waitingCount} waiting`);
      refuse(new PoolExhausted());
    };
    const timer = setTimeout(isLate, WAIT_MS);
    const open = (): void =>
      connect((error, client, release) => {
        if (error && isConnectTimeout(error) && this.waiting.has(refuse)) {
          this.warn(`a connection was not opened in time (${error.message}), trying again`);
          return open();
        }
        // The caller was already rejected; release its connection.
        const isWanted = this.waiting.delete(refuse);
        if (!client || !isWanted) {
          if (client) release();
          shares.release(organization);
          clearTimeout(timer);
          if (isWanted) callback(error && this.handleConnectError(error), undefined, release);
          return;
        }
        clearTimeout(timer);
        callback(undefined, client, (fault) => {
          release(fault ?? this.findFault(client));
          shares.release(organization);
        });
      });
    this.waiting.add(refuse);
    const leave = shares.take(organization, open);
  }

  /** Returns an error when a released connection must not be reused. */
  private findFault(client: pg.PoolClient): Error | undefined {
    return this.readOnly.has(client) ? new Error('the database was read-only') : undefined;
  }

  private handleRefusedStatement(client: pg.Client, { code, message }: pg.DatabaseError): void {
    if (!refusesChanges(code)) return;
    if (code === READ_ONLY) this.readOnly.add(client as pg.PoolClient);
    this.markRefused(
      code === READ_ONLY ? 'accepts no changes: it is read-only' : 'accepts no changes: its disk is full',
      message,
    );
  }

  private handleConnectError(error: Error): Error {
    if (isConnectionError(error)) this.warn(`a connection could not be opened: ${error.message}`);
    else this.markRefused(NO_CONNECTIONS, error.message);
    return new DatabaseUnavailable(error);
  }

  /** Logs why calls fail while the database answers, at most once in 10 s. */
  private warn(what: string): void {
    const now = performance.now();
    if (this.isUnavailable || now - this.warnedAt < RECENT_MS) return;
    this.warnedAt = now;
    this.logger.warn(what);
  }

  /** Logs a refusal once, however many calls it fails. */
  private markRefused(text: string, reason: string): void {
    if (this.refused !== text)
      this.logger.error(`the database ${text} (${reason}): calls are answered 503 until it recovers`);
    this.refusal = { text, at: performance.now() };
    this.recovered ??= setTimeout(
      () => this.logger.log('the database has refused no connection and no statement for 10 s'),
      RECENT_MS,
    ).unref();
    this.recovered.refresh();
  }
}
