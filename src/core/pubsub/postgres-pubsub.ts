import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PubSubEngine } from 'graphql-subscriptions';
import { PostgresNotifications } from '../database/postgres-notifications.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { MessageIterator } from './message-iterator.js';

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
 * reaches the subscribers of every replica when it commits. Triggers are the names of topics.
 */
@Injectable()
export class PostgresPubSub extends PubSubEngine implements OnModuleInit {
  private readonly subscribers = new Map<number, Subscriber>();
  private nextId = 1;

  constructor(
    private readonly notifications: PostgresNotifications,
    private readonly unit: UnitOfWork,
  ) {
    super();
  }

  onModuleInit(): void {
    this.notifications.subscribe(CHANNEL, (payload) => this.dispatch(payload));
  }

  /** The SQL expression that publishes with the surrounding transaction; `message` is SQL of a JSON value. */
  static publishSql(topic: string, message: string): string {
    return `pg_notify('${CHANNEL}', json_build_array('${topic}', ${message})::text)`;
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

  private dispatch(payload: string): void {
    const [topic, message] = JSON.parse(payload) as [string, never];
    for (const subscriber of [...this.subscribers.values()])
      if (subscriber.topic === topic) subscriber.receive(message);
  }
}
