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
/** Shorter than a worker may be absent after an outage (worker-presence.ts), so that a live worker is not taken for dead. */
const MAX_PAUSE_MS = 1_000;

/**
 * Notifications between replicas by LISTEN and NOTIFY: one that is sent in a transaction arrives when it commits.
 * After a reconnect it subscribes to all channels again and calls `onReconnect`, because notifications may have been
 * missed.
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

  /** @returns a function that unsubscribes */
  subscribe(channel: string, listener: Listener): () => void {
    const listeners = this.channels.get(channel) ?? new Set();
    listeners.add(listener);
    this.channels.set(channel, listeners);
    if (listeners.size === 1) this.session?.listen(channel).catch(() => undefined);
    return () => listeners.delete(listener);
  }

  /**
   * Holds a lock while this process and its session live: the server releases it when the process dies. Call it
   * before the first session, so that every session acquires the lock.
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

  /** Notifies all replicas immediately, outside of any transaction; the payload has at most 7,900 bytes. */
  async publish(channel: string, payload: string): Promise<void> {
    await this.dataSource.query('SELECT pg_notify($1, $2)', [channel, payload]);
  }

  close(): void {
    this.closing.abort();
    this.session?.close();
  }

  private async connect(): Promise<void> {
    const asked = [...this.channels.keys()];
    // The login of the pool: LISTEN needs no owner privileges.
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

  /** Tries to connect until it succeeds, which also detects the end of an outage. */
  private async reconnect(): Promise<void> {
    if (this.isReconnecting) return;
    this.isReconnecting = true;
    for (let failures = 0; !this.session && (await this.pause(failures)); failures++)
      try {
        await this.connect();
      } catch (error) {
        // The database answers; only writes and notifications have to wait.
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

  /** Waits for the back-off. @returns false when this was closed meanwhile */
  private pause(failures: number): Promise<boolean> {
    const { signal } = this.closing;
    return sleep(backoff(failures + 1, INITIAL_PAUSE_MS, MAX_PAUSE_MS), true, { signal, ref: false }).catch(
      () => false,
    );
  }
}
