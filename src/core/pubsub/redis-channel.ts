import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { createClient as createClientType } from '@redis/client';
import { DataSource } from 'typeorm';
import { backoff } from '../backoff.js';
import { Env } from '../config/env.js';
import { describeConnectionFailure } from '../outbound/connection-failure.js';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** The timeout of publishing to Redis. */
const PUBLISH_TIMEOUT_MS = 1_000;
/** A connection without traffic for this long is considered dead; pings keep it alive. */
const SILENCE_MS = 10_000;
/** The maximum number of pending messages; further ones are rejected immediately. */
const MAX_WAITING = 10_000;
/** The polling interval of listeners while the connection is lost. */
const POLL_MS = 2_000;
/** The maximum number of reasons logged per outage. */
const MAX_REASONS = 5;

type CreateClient = typeof createClientType;
type Client = ReturnType<CreateClient>;

/**
 * Sends messages between replicas through Redis when REDIS_URL is set. Messages may be lost, so listeners must be
 * able to detect what they missed. Nothing waits for Redis: during an outage `publish` returns false and `onMissed`
 * calls back periodically.
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
  /** Whether the channel is subscribed; the client subscribes again after a reconnect. */
  private isSubscribed = false;
  /** Whether Redis rejected the last message, for instance for lack of permission to publish. */
  private refusesMessages = false;
  /** Reasons of the current outage that were logged. */
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

  /** Reports whether messages can be received and sent. */
  get isConnected(): boolean {
    const isReady = Boolean(this.publisher?.isReady && this.subscriber?.isReady);
    return isReady && this.isSubscribed && !this.refusesMessages;
  }

  /** Connects in the background; start-up waits for the database only. */
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
    // The channel name separates installations that share a Redis server.
    const [row] = await this.dataSource.query<[{ name: string }]>(
      `SELECT system_identifier || ':' || current_database() AS name FROM pg_control_system()`,
    );
    this.name = `armature:${row.name}`;
    this.polling = setInterval(() => this.isConnected || this.notifyMissed(), POLL_MS).unref();
    publisher.connect().catch(() => undefined);
    void this.subscribe(subscriber, this.url);
  }

  onApplicationShutdown(): void {
    this.closing.abort();
    clearInterval(this.polling);
    for (const client of [this.publisher, this.subscriber]) if (client?.isOpen) client.destroy();
  }

  /** @returns false when the messages may not have been delivered */
  async publish(payloads: readonly string[]): Promise<boolean> {
    const { publisher } = this;
    if (!publisher?.isReady) return false;
    const late = new AbortController();
    const timeout = sleep(PUBLISH_TIMEOUT_MS, false, { signal: late.signal, ref: false }).catch(() => false);
    const sent = Promise.all(payloads.map((payload) => publisher.publish(this.name, payload))).then(
      () => this.handlePublished(null),
      (error: Error) => this.handlePublished(error),
    );
    return Promise.race([sent, timeout]).finally(() => late.abort());
  }

  onMessage(listener: (payload: string) => void): void {
    this.messageListeners.add(listener);
  }

  /** @returns a function that unsubscribes */
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
    client.on('error', (error: Error) => this.reportUnavailable(url, error));
    return client as Client;
  }

  /** Tries to subscribe until it succeeds or the server stops. */
  private async subscribe(subscriber: Client, url: string): Promise<void> {
    const { signal } = this.closing;
    await subscriber.connect().catch(() => undefined);
    for (let failures = 1; !signal.aborted && !this.isSubscribed; failures++)
      try {
        await subscriber.subscribe(this.name, this.dispatch);
        this.isSubscribed = true;
      } catch (error) {
        // While disconnected, the connection error is reported instead.
        if (subscriber.isReady) this.reportUnavailable(url, error as Error);
        await sleep(backoff(failures, FIRST_PAUSE_MS, MAX_PAUSE_MS), undefined, { ref: false, signal }).catch(() => 0);
      }
    if (this.isSubscribed) await this.onReady();
  }

  private handlePublished(error: Error | null): boolean {
    // The client itself reports a lost connection.
    this.refusesMessages = error !== null && Boolean(this.publisher?.isReady);
    if (this.refusesMessages && error && this.url) this.reportUnavailable(this.url, error);
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
    this.notifyMissed();
    // Check for messages that were published while the channel was not subscribed.
    await sleep(PUBLISH_TIMEOUT_MS, undefined, { ref: false });
    this.notifyMissed();
  }

  /** Logs each reason once per outage, without the address, because errors of the client may quote it with its password. */
  private reportUnavailable(url: string, error: Error): void {
    const message = 'code' in error ? describeConnectionFailure(error) : withoutSecrets(url, error.message);
    if (this.reasons.has(message) || this.reasons.size >= MAX_REASONS) return;
    this.reasons.add(message);
    this.logger.warn(
      `Redis at ${this.host} is unavailable; events go through the database until it is back: ${message}`,
    );
  }

  /** The same function for each attempt, because the client calls a function once per message however often it was registered. */
  private readonly dispatch = (payload: string): void => {
    for (const listener of this.messageListeners) listener(payload);
  };

  private notifyMissed(): void {
    for (const listener of this.missedListeners) listener();
  }
}

function withoutSecrets(url: string, message: string): string {
  const { password, username } = new URL(url);
  const secrets = [url, password, decodeURIComponent(password), username].filter((text) => text !== '');
  return secrets.reduce((text, secret) => text.replaceAll(secret, '•••'), message);
}
