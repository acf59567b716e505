import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { createClient as createClientType } from '@redis/client';
import { DataSource } from 'typeorm';
import { backoff } from '../backoff.js';
import { Env } from '../config/env.js';
import { describeConnectionFailure } from '../outbound/connection-failure.js';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** Redis that does not take a message in this time is passed by. */
const PATIENCE_MS = 1_000;
/** A connection on which nothing is heard for so long has died; a ping is answered in between. */
const SILENCE_MS = 10_000;
/** Messages that wait for Redis to take them; further ones are refused at once. */
const MAX_WAITING = 10_000;
/** While the connection is lost, listeners poll at this interval. */
const POLL_MS = 2_000;
/** Reasons that are logged of one outage. */
const MAX_REASONS = 5;

type CreateClient = typeof createClientType;
type Client = ReturnType<CreateClient>;

/**
 * Messages between replicas through Redis, where REDIS_URL is set: they may be lost, for listeners that find out by other
 * means what they missed. Nothing waits for Redis; without it `publish` says so, and `onMissed` that there may be something.
 */
@Injectable()
export class RedisChannel implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private readonly messageListeners = new Set<(payload: string) => void>();
  private readonly missedListeners = new Set<() => void>();
  private readonly url?: string;
  private readonly host: string = '';
  private publisher?: Client;
  private subscriber?: Client;
  private name = 'armature';
  /** The channel is subscribed to; the client does so again by itself after it has lost a connection. */
  private isSubscribed = false;
  /** Redis took no message when one was last sent, such as from a user who may not publish. */
  private refusesMessages = false;
  /** Why Redis is away, as was logged. */
  private readonly reasons = new Set<string>();
  private polling?: NodeJS.Timeout;
  private readonly closing = new AbortController();

  constructor(
    { REDIS_URL: url }: Env,
    private readonly dataSource: DataSource,
  ) {
    if (url === undefined) return;
    this.url = url;
    this.host = new URL(url).host;
  }

  get isConfigured(): boolean {
    return this.url !== undefined;
  }

  /** Whether messages of others arrive here, and ours go out. */
  get isConnected(): boolean {
    const isReady = Boolean(this.publisher?.isReady && this.subscriber?.isReady);
    return isReady && this.isSubscribed && !this.refusesMessages;
  }

  /** Begins to connect; the start waits for the database only. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.url === undefined) return;
    const { createClient } = await import('@redis/client');
    const publisher = (this.publisher = this.createClient(createClient, this.url));
    const subscriber = (this.subscriber = this.createClient(createClient, this.url));
    publisher.on('ready', () => {
      this.refusesMessages = false;
      this.logReturn();
    });
    subscriber.on('ready', () => void this.onReady());
    // Installations that share a Redis do not hear each other.
    const [row] = await this.dataSource.query<[{ name: string }]>(
      `SELECT system_identifier || ':' || current_database() AS name FROM pg_control_system()`,
    );
    this.name = `armature:${row.name}`;
    this.polling = setInterval(() => this.isConnected || this.tellMissed(), POLL_MS).unref();
    publisher.connect().catch(() => undefined);
    void this.subscribe(subscriber, this.url);
  }

  onApplicationShutdown(): void {
    this.closing.abort();
    clearInterval(this.polling);
    for (const client of [this.publisher, this.subscriber]) if (client?.isOpen) client.destroy();
  }

  /** @returns false when they may not have reached the others */
  async publish(payloads: readonly string[]): Promise<boolean> {
    const { publisher } = this;
    if (!publisher?.isReady) return false;
    const late = new AbortController();
    const tooLate = sleep(PATIENCE_MS, false, { signal: late.signal, ref: false }).catch(() => false);
    const sent = Promise.all(payloads.map((payload) => publisher.publish(this.name, payload))).then(
      () => this.handlePublished(null),
      (error: Error) => this.handlePublished(error),
    );
    return Promise.race([sent, tooLate]).finally(() => late.abort());
  }

  onMessage(listener: (payload: string) => void): void {
    this.messageListeners.add(listener);
  }

  /** @returns how to stop listening */
  onMissed(listener: () => void): () => void {
    this.missedListeners.add(listener);
    return () => this.missedListeners.delete(listener);
  }

  private createClient(createClient: CreateClient, url: string): Client {
    const client = createClient({
      url,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_WAITING,
      pingInterval: SILENCE_MS / 2,
      socket: {
        connectTimeout: MAX_PAUSE_MS,
        socketTimeout: SILENCE_MS,
        reconnectStrategy: (failures: number) => Math.round(backoff(failures + 1, FIRST_PAUSE_MS, MAX_PAUSE_MS)),
      },
    });
    client.on('error', (error: Error) => this.reportAway(url, error));
    return client as Client;
  }

  /** One attempt after another, until one succeeds or the server ends. */
  private async subscribe(subscriber: Client, url: string): Promise<void> {
    const { signal } = this.closing;
    await subscriber.connect().catch(() => undefined);
    for (let failures = 1; !signal.aborted && !this.isSubscribed; failures++)
      try {
        await subscriber.subscribe(this.name, this.dispatch);
        this.isSubscribed = true;
      } catch (error) {
        // While the connection is lost, that is what is reported.
        if (subscriber.isReady) this.reportAway(url, error as Error);
        await sleep(backoff(failures, FIRST_PAUSE_MS, MAX_PAUSE_MS), undefined, { ref: false, signal }).catch(() => 0);
      }
    if (this.isSubscribed) await this.onReady();
  }

  private handlePublished(error: Error | null): boolean {
    // Of a connection that was lost the client reports by itself.
    this.refusesMessages = error !== null && Boolean(this.publisher?.isReady);
    if (this.refusesMessages && error && this.url) this.reportAway(this.url, error);
    this.logReturn();
    return error === null;
  }

  private logReturn(): void {
    if (!this.isConnected || this.reasons.size === 0) return;
    this.logger.log(`Redis at ${this.host} is back`);
    this.reasons.clear();
  }

  private async onReady(): Promise<void> {
    this.logReturn();
    this.tellMissed();
    // What was published while the channel was being subscribed to again.
    await sleep(PATIENCE_MS, undefined, { ref: false });
    this.tellMissed();
  }

  /** Each reason once for each outage; an error of the client may quote the address with its password. */
  private reportAway(url: string, error: Error): void {
    const said = 'code' in error ? describeConnectionFailure(error) : withoutSecrets(url, error.message);
    if (this.reasons.has(said) || this.reasons.size >= MAX_REASONS) return;
    this.reasons.add(said);
    this.logger.warn(`Redis at ${this.host} is unavailable; events go through the database until it is back: ${said}`);
  }

  /** The same function at each attempt: a client that has it calls it once for a message. */
  private readonly dispatch = (payload: string): void => {
    for (const listener of this.messageListeners) listener(payload);
  };

  private tellMissed(): void {
    for (const listener of this.missedListeners) listener();
  }
}

function withoutSecrets(url: string, message: string): string {
  const { password, username } = new URL(url);
  const secrets = [url, password, decodeURIComponent(password), username].filter((text) => text !== '');
  return secrets.reduce((text, secret) => text.replaceAll(secret, '•••'), message);
}
