import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { backoff } from '../backoff.js';
import { DatabaseAvailability } from './database-availability.js';
import { DatabaseUrl } from './database-url.js';
import { ListeningSession, ReadOnlyDatabase, type SessionLock } from './listening-session.js';
import { isConnectionError } from '../errors/database-outage.js';

type Listener = (payload: string) => void;

const INITIAL_PAUSE_MS = 100;
/** Shorter than a worker may be missing after an outage (worker-presence.ts), so that one that lives is never taken for dead. */
const MAX_PAUSE_MS = 1_000;

/**
 * Notifications between replicas through PostgreSQL: a notification sent in a transaction arrives when it commits. After
 * a lost connection the channels are listened to again and `onReconnect` says that something may have been missed.
 */
@Injectable()
export class PostgresNotifications implements OnApplicationBootstrap {
  private readonly logger = new Logger(PostgresNotifications.name);
  private readonly channels = new Map<string, Set<Listener>>();
  private readonly reconnectListeners = new Set<() => void>();
  private readonly closing = new AbortController();
  private readonly locks: SessionLock[] = [];
  private session: ListeningSession | null = null;
  private connectedAt = 0;
  private isReconnecting = false;

  constructor(
    private readonly url: DatabaseUrl,
    private readonly dataSource: DataSource,
    private readonly availability: DatabaseAvailability = new DatabaseAvailability(),
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.connect();
  }

  /** @returns how to stop listening */
  subscribe(channel: string, listener: Listener): () => void {
    const listeners = this.channels.get(channel) ?? new Set();
    listeners.add(listener);
    this.channels.set(channel, listeners);
    if (listeners.size === 1) this.session?.listen(channel).catch(() => undefined);
    return () => listeners.delete(listener);
  }

  /**
   * Holds a lock for as long as this process lives and its session stands: the server lets go of it the moment the process dies.
   * Called before the first session, so that it stands with the lock or not at all.
   */
  holdLock(lock: SessionLock): void {
    this.locks.push(lock);
  }

  /** The age of the session in milliseconds; 0 without a session. */
  get connectedMs(): number {
    return this.session ? performance.now() - this.connectedAt : 0;
  }

  onReconnect(listener: () => void): () => void {
    this.reconnectListeners.add(listener);
    return () => this.reconnectListeners.delete(listener);
  }

  /** Notifies every replica at once, outside of any transaction; the payload has at most 7,900 bytes. */
  async publish(channel: string, payload: string): Promise<void> {
    await this.dataSource.query('SELECT pg_notify($1, $2)', [channel, payload]);
  }

  close(): void {
    this.closing.abort();
    this.session?.close();
  }

  private async connect(): Promise<void> {
    const asked = [...this.channels.keys()];
    // The very login of the pool: listening needs no rights of the owner.
    const url = (this.dataSource.options as { url?: string }).url ?? this.url.href;
    const session = await ListeningSession.connect(url, asked, this.locks, (channel, payload) => {
      for (const listener of this.channels.get(channel) ?? []) listener(payload);
    });
    if (this.closing.signal.aborted) return session.close();
    this.session = session;
    this.connectedAt = performance.now();
    for (const channel of this.channels.keys())
      if (!asked.includes(channel)) session.listen(channel).catch(() => undefined);
    session.onLost((reason, isSilent) => {
      this.session = null;
      if (isSilent) this.availability.markUnavailable(this.url.hostAndPort, reason);
      void this.reconnect();
    });
  }

  /** One attempt after another, until one succeeds; it also finds out when the database is back. */
  private async reconnect(): Promise<void> {
    if (this.isReconnecting) return;
    this.isReconnecting = true;
    for (let failures = 0; !this.session && (await this.pause(failures)); failures++)
      try {
        await this.connect();
      } catch (error) {
        // It answers, and only what changes or waits for changes has to wait.
        if (error instanceof ReadOnlyDatabase) this.availability.markAvailable();
        if (isConnectionError(error)) this.availability.markUnavailable(this.url.hostAndPort, error);
        else if (failures === 0)
          this.logger.warn(`LISTEN failed on the database, retrying: ${(error as Error).message}`);
      }
    this.isReconnecting = false;
    if (this.closing.signal.aborted) return;
    this.availability.markAvailable();
    for (const listener of this.reconnectListeners) listener();
  }

  /** @returns false when it was closed concurrently */
  private pause(failures: number): Promise<boolean> {
    const { signal } = this.closing;
    return sleep(backoff(failures + 1, INITIAL_PAUSE_MS, MAX_PAUSE_MS), true, { signal, ref: false }).catch(
      () => false,
    );
  }
}
