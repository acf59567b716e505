import { Injectable, Logger, type OnModuleInit, Optional } from '@nestjs/common';
import { PubSubEngine } from 'graphql-subscriptions';
import { PostgresNotifications } from '../database/postgres-notifications.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { isDatabaseOutage } from '../errors/database-outage.js';
import { RedisChannel } from './redis-channel.js';

/** One channel for all topics. It is subscribed to before the first subscriber, so that no message is missed. */
const CHANNEL = 'armature_pubsub';
/** PostgreSQL rejects payloads of 8,000 bytes and more. */
const MAX_PAYLOAD_BYTES = 7_900;

interface Subscriber {
  topic: string;
  receive: (message: never) => void;
}

/**
 * The PubSubEngine of this server, based on LISTEN and NOTIFY: a message published in a transaction reaches the
 * subscribers of every replica on commit. Trigger names are topics. With REDIS_URL, messages whose subscribers can
 * detect missed ones are sent through Redis after the commit instead. An iterator over messages holds those that are
 * not read yet, so its reader takes them at once, and learns of missed ones by `onMissed`.
 */
@Injectable()
export class PostgresPubSub extends PubSubEngine implements OnModuleInit {
  private readonly logger = new Logger(PostgresPubSub.name);
  private readonly subscribers = new Map<number, Subscriber>();
  private nextId = 1;

  constructor(
    private readonly notifications: PostgresNotifications,
    private readonly unit: UnitOfWork,
    @Optional() private readonly redis?: RedisChannel,
  ) {
    super();
  }

  /** Whether to pass messages to `publishCommitted` instead of publishing them in the transaction. */
  get publishesAfterCommit(): boolean {
    return this.redis?.isConfigured ?? false;
  }

  onModuleInit(): void {
    this.notifications.subscribe(CHANNEL, (payload) => this.dispatch(payload));
    this.redis?.onMessage((payload) => this.dispatchForeign(payload));
  }

  /** Returns the SQL of a message for `publishCommitted`; `message` is SQL of a JSON value. */
  static messageSql(topic: string, message: string): string {
    return `json_build_array('${topic}', ${message})::text`;
  }

  /** Returns the SQL expression that publishes in the current transaction; `message` is SQL of a JSON value. */
  static publishSql(topic: string, message: string): string {
    return `pg_notify('${CHANNEL}', ${PostgresPubSub.messageSql(topic, message)})`;
  }

  /**
   * Publishes messages of a committed transaction through Redis or, when it is unavailable, through the database.
   * Does not wait.
   */
  publishCommitted(messages: readonly string[]): void {
    void this.sendCommitted(messages).catch((error: unknown) => {
      // During a database outage, subscribers detect the missed messages.
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'messages were not published');
    });
  }

  /** @throws RangeError when the message exceeds the size limit of notifications */
  async publish(topic: string, message: unknown): Promise<void> {
    const payload = JSON.stringify([topic, message]);
    const bytes = Buffer.byteLength(payload);
    if (bytes > MAX_PAYLOAD_BYTES) throw new RangeError(`a message of ${bytes} bytes is too large: publish its id`);
    await this.unit.manager.query(`SELECT pg_notify('${CHANNEL}', $1)`, [payload]);
  }

  subscribe<M>(topic: string, receive: (message: M) => void): Promise<number> {
    const id = this.nextId++;
    this.subscribers.set(id, { topic, receive });
    return Promise.resolve(id);
  }

  unsubscribe(id: number): void {
    this.subscribers.delete(id);
  }

  /**
   * Calls back when messages that may be sent through Redis may have been missed.
   * @returns a function that unsubscribes
   */
  onMissed(listener: () => void): () => void {
    const stops = [this.notifications.onReconnect(listener), this.redis?.onMissed(listener)];
    return () => stops.forEach((stop) => stop?.());
  }

  private async sendCommitted(messages: readonly string[]): Promise<void> {
    if (await this.redis?.publish(messages)) return;
    await this.unit.runOutside(() =>
      this.unit.manager.query(`SELECT pg_notify('${CHANNEL}', message) FROM unnest($1::text[]) AS message`, [messages]),
    );
  }

  /** Any Redis client can send messages to the channel, so malformed ones are ignored. */
  private dispatchForeign(payload: string): void {
    try {
      this.dispatch(payload);
    } catch (error) {
      this.logger.warn(`a message from Redis could not be parsed: ${String(error)}`);
    }
  }

  private dispatch(payload: string): void {
    const [topic, message] = JSON.parse(payload) as [string, never];
    for (const subscriber of [...this.subscribers.values()])
      if (subscriber.topic === topic) subscriber.receive(message);
  }
}
