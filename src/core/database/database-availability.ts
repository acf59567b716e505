import { Injectable, Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { toConnectError, DatabaseUnavailable } from '../errors/database-outage.js';

export type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error) => void,
) => void;

type Connect = (callback: ConnectCallback) => void;

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
  private unavailableSince: number | null = null;

  get isUnavailable(): boolean {
    return this.unavailableSince !== null;
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
      callback(error && toConnectError(error), client, release);
    });
  }
}
