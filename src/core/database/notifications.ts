import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { DatabaseUrl } from './database-url.js';

type Listener = (payload: string) => void;

/**
 * What replicas tell each other through PostgreSQL: a notification sent in a transaction arrives when it commits. After
 * a lost connection the channels are listened to again and `onReconnect` says that something may have been missed.
 */
@Injectable()
export class Notifications implements OnApplicationBootstrap {
  private readonly logger = new Logger(Notifications.name);
  private readonly channels = new Map<string, Set<Listener>>();
  private readonly reconnected = new Set<() => void>();
  private client: pg.Client | null = null;
  private closed = false;

  constructor(
    private readonly url: DatabaseUrl,
    private readonly dataSource: DataSource,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.connect();
  }

  /** @returns how to stop listening */
  listen(channel: string, listener: Listener): () => void {
    const listeners = this.channels.get(channel) ?? new Set();
    listeners.add(listener);
    this.channels.set(channel, listeners);
    if (listeners.size === 1) void this.client?.query(`LISTEN ${pg.escapeIdentifier(channel)}`).catch(() => undefined);
    return () => listeners.delete(listener);
  }

  onReconnect(listener: () => void): () => void {
    this.reconnected.add(listener);
    return () => this.reconnected.delete(listener);
  }

  /** Tells every replica at once, outside of any transaction; the payload has at most 7,900 bytes. */
  async send(channel: string, payload: string): Promise<void> {
    await this.dataSource.query('SELECT pg_notify($1, $2)', [channel, payload]);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      // The very login of the pool: listening needs no rights of the owner.
      connectionString: (this.dataSource.options as { url?: string }).url ?? this.url.service,
      keepAlive: true,
      application_name: 'armature-listen',
    });
    client.on('error', () => undefined);
    client.on('end', () => this.lost());
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.channels.get(channel) ?? []) listener(payload ?? '');
    });
    await client.connect();
    for (const channel of this.channels.keys()) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    this.client = client;
  }

  private lost(): void {
    this.client = null;
    if (this.closed) return;
    setTimeout(() => {
      if (this.closed) return;
      this.connect().then(
        () => this.reconnected.forEach((listener) => listener()),
        (error: Error) => {
          this.logger.warn(`listening to the database failed, trying again: ${error.message}`);
          this.lost();
        },
      );
    }, 500).unref();
  }
}
