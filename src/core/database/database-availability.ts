import { Injectable, Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import {
  toConnectError,
  DatabaseUnavailable,
  isConnectionError,
  POOL_TIMEOUT,
  refusesChanges,
} from '../errors/database-outage.js';

export type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error) => void,
) => void;

const READ_ONLY = '25006';
const NO_CONNECTIONS = 'refuses connections';

type Connect = (callback: ConnectCallback) => void;

/** How long a refusal counts as recent; jobs write every second. */
const RECENT_MS = 10_000;
/**
 * Whether the database answers, as the connection that listens finds out. While it does not, a caller that asks for a
 * connection is refused at once, so that an outage costs neither patience nor attempts to connect.
 */
@Injectable()
export class DatabaseAvailability {
  private readonly logger = new Logger('Database');
  private readonly clients = new Set<pg.Client>();
  /** Those who wait for a connection of the pool. */
  private readonly waiting = new Set<(error: Error) => void>();
  /** Connections on which the database was read-only: after a failover another server may be reached in their place. */
  private readonly readOnly = new WeakSet<pg.PoolClient>();
  private unavailableSince: number | null = null;
  private refusal: { text: string; at: number } | null = null;
  private recovered?: NodeJS.Timeout;

  get isUnavailable(): boolean {
    return this.unavailableSince !== null;
  }

  /** What the database has refused lately, if anything. */
  get refused(): string | undefined {
    return this.refusal && performance.now() - this.refusal.at < RECENT_MS ? this.refusal.text : undefined;
  }

  /** The same for a database that answers but accepts no changes. */
  get refusedChange(): string | undefined {
    return this.refused === NO_CONNECTIONS ? undefined : this.refused;
  }

  /** The database is found away: what waits for a connection and what waits on one fails now. */
  markUnavailable(place: string, reason: unknown): void {
    if (!this.isUnavailable) {
      const because = reason instanceof Error ? reason.message || (reason as { code?: string }).code : String(reason);
      this.logger.warn(`the database at ${place} does not answer (${because}): calls are answered 503 until it does`);
      this.unavailableSince = performance.now();
    }
    for (const refuse of [...this.waiting]) refuse(new DatabaseUnavailable(reason));
    this.dropConnections(reason);
  }

  /** The database answers again. */
  markAvailable(): void {
    if (this.unavailableSince === null) return;
    const seconds = ((performance.now() - this.unavailableSince) / 1000).toFixed(1);
    this.unavailableSince = null;
    this.logger.log(`the database answers again after ${seconds} s`);
  }

  /** Hangs up, without waiting for a server that may not hear it. */
  dropConnections(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error('Connection terminated');
    for (const { connection } of [...this.clients]) connection.stream.destroy(error);
  }

  /** Puts itself before the pool of the data source. */
  guardPool(dataSource: DataSource): void {
    const pool = (dataSource.driver as PostgresDriver).master as pg.Pool;
    pool.on('acquire', (client) => {
      if (!(client instanceof pg.Client) || this.clients.has(client)) return;
      this.clients.add(client);
      client.once('end', () => this.clients.delete(client));
      client.connection.on('errorMessage', (error: pg.DatabaseError) => this.handleRefusedStatement(client, error));
    });
    const connect = pool.connect.bind(pool) as Connect;
    pool.connect = ((callback) => this.connectGuarded(connect, callback)) satisfies Connect as typeof pool.connect;
  }

  private connectGuarded(connect: Connect, callback: ConnectCallback): void {
    if (this.isUnavailable) return callback(new DatabaseUnavailable(), undefined, () => undefined);
    const refuse = (error: Error): void => {
      this.waiting.delete(refuse);
      callback(error, undefined, () => undefined);
    };
    this.waiting.add(refuse);
    connect((error, client, release) => {
      // A caller that was refused in the meantime needs none.
      if (!this.waiting.delete(refuse)) return client && release();
      if (error || !client) return callback(error && this.handleConnectError(error), client, release);
      callback(undefined, client, (fault) => release(fault ?? this.findFault(client)));
    });
  }

  /** Why a connection that is given back is not kept. */
  private findFault(client: pg.PoolClient): Error | undefined {
    return this.readOnly.has(client) ? new Error('the database was read-only') : undefined;
  }

  private handleRefusedStatement(client: pg.Client, { code, message }: pg.DatabaseError): void {
    if (!refusesChanges(code)) return;
    if (code === READ_ONLY) this.readOnly.add(client as pg.PoolClient);
    this.markRefused(
      code === READ_ONLY ? 'takes no changes: it is read-only' : 'takes no changes: its disk is full',
      message,
    );
  }

  private handleConnectError(error: Error): Error {
    if (!isConnectionError(error) && error.message !== POOL_TIMEOUT) this.markRefused(NO_CONNECTIONS, error.message);
    return toConnectError(error);
  }

  /** Named once, however many calls it fails. */
  private markRefused(text: string, reason: string): void {
    if (this.refused !== text)
      this.logger.error(`the database ${text} (${reason}): calls are answered 503 until it does its work again`);
    this.refusal = { text, at: performance.now() };
    this.recovered ??= setTimeout(
      () => this.logger.log('the database has refused nothing for 10 s'),
      RECENT_MS,
    ).unref();
    this.recovered.refresh();
  }
}
