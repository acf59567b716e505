import { Injectable, Logger, type OnModuleInit, Optional } from '@nestjs/common';
import { PubSubEngine } from 'graphql-subscriptions';
import { PostgresNotifications } from '../database/postgres-notifications.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { isDatabaseOutage } from '../errors/database-outage.js';
import { MessageIterator } from './message-iterator.js';
import { RedisChannel } from './redis-channel.js';

/** One channel for all topics: it is listened to before the first subscriber comes, so that no message falls between. */
const CHANNEL = 'armature_pubsub';
/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const MAX_PAYLOAD_BYTES = 7_900;

interface Subscriber {
  topic: string;
  receive: (message: never) => void;
}

/**
 * The PubSubEngine of this server, on the notifications of PostgreSQL: a message that is published in a transaction
 * reaches the subscribers of every replica when it commits. Triggers are the names of topics. Where REDIS_URL is set, messages
 * whose subscribers find out by themselves what they missed may go through Redis instead, once they are committed.
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

  /** Whether messages are to be given to `publishCommitted` instead of being published with their transaction. */
  get publishesAfterCommit(): boolean {
    return this.redis?.isConfigured ?? false;
  }

  onModuleInit(): void {
    this.notifications.subscribe(CHANNEL, (payload) => this.dispatch(payload));
    this.redis?.onMessage((payload) => this.dispatchForeign(payload));
  }

  /** SQL of a message as `publishCommitted` takes it; `message` is SQL of a JSON value. */
  static messageSql(topic: string, message: string): string {
    return `json_build_array('${topic}', ${message})::text`;
  }

  /** The SQL expression that publishes with the surrounding transaction; `message` is SQL of a JSON value. */
  static publishSql(topic: string, message: string): string {
    return `pg_notify('${CHANNEL}', ${PostgresPubSub.messageSql(topic, message)})`;
  }

  /** Publishes messages of a transaction that has committed, through Redis or, when it is away, through the database. Nobody waits for it. */
  publishCommitted(messages: readonly string[]): void {
    void this.sendCommitted(messages).catch((error: unknown) => {
      // Subscribers find out by themselves.
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'messages were not published');
    });
  }

  /** @throws RangeError when the message is larger than a notification may be */
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

  /** The messages of topics one after another, for `@Subscription` and its `filter`; it ends with an error when any is lost. */
  override asyncIterableIterator<M>(topics: string | readonly string[]): MessageIterator<M> {
    return new MessageIterator<M>(this, topics);
  }

  /** Calls back when messages may have been missed. @returns how to stop listening */
  onGap(listener: () => void): () => void {
    return this.notifications.onReconnect(listener);
  }

  /** The same for messages that may go through Redis: their subscribers look what is there. @returns how to stop listening */
  onMissed(listener: () => void): () => void {
    const stops = [this.onGap(listener), this.redis?.onMissed(listener)];
    return () => stops.forEach((stop) => stop?.());
  }

  private async sendCommitted(messages: readonly string[]): Promise<void> {
    if (await this.redis?.publish(messages)) return;
    await this.unit.runOutside(() =>
      this.unit.manager.query(`SELECT pg_notify('${CHANNEL}', message) FROM unnest($1::text[]) AS message`, [messages]),
    );
  }

  /** Any client that can write to Redis may send anything: messages in other formats are ignored. */
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
