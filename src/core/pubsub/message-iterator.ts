import type { PubSubEngine } from 'graphql-subscriptions';
import { PubSubAsyncIterableIterator } from 'graphql-subscriptions/dist/pubsub-async-iterable-iterator.js';
import { AppError } from '../errors/app-error.js';
import { Follower } from './follower.js';

/** A subscriber with more unread messages than this gets an error instead of a growing queue. */
const MAX_MESSAGES = 100;

class MessageFollower<M> extends Follower<M> {
  private readonly messages: M[] = [];
  private failure: AppError | null = null;

  receive(message: M): void {
    if (this.messages.length < MAX_MESSAGES) this.messages.push(message);
    else this.fail(`more than ${MAX_MESSAGES} messages were waiting to be read`);
    this.wake();
  }

  /** Ends with an error after the messages that were already received. */
  fail(reason: string): void {
    this.failure ??= new AppError(410, 'MESSAGES_MISSED', 'Messages were missed', reason, {
      remedy: 'Subscribe again, then read the current state.',
    });
    this.wake();
  }

  protected take(): Promise<M | null> {
    const message = this.messages.shift();
    if (message === undefined) return this.failure ? Promise.reject(this.failure) : Promise.resolve(null);
    this.wake();
    return Promise.resolve(message);
  }
}

/**
 * Iterates over the messages of topics like the engines of `graphql-subscriptions`, with a bounded queue. A lost
 * message, because of a slow subscriber or a database outage, is an error.
 */
export class MessageIterator<M> extends PubSubAsyncIterableIterator<M> {
  private readonly follower: MessageFollower<M>;

  constructor(engine: PubSubEngine & { onGap(listener: () => void): () => void }, topics: string | readonly string[]) {
    super(engine, topics);
    const ids: Promise<number>[] = [];
    const stop = engine.onGap(() => this.follower.fail('the connection to the database was lost for a moment'));
    this.follower = new MessageFollower<M>(() => {
      stop();
      for (const id of ids) void id.then((each) => void engine.unsubscribe(each));
    });
    for (const topic of [topics].flat())
      ids.push(engine.subscribe(topic, (message: M) => this.follower.receive(message), {}));
  }

  override next(): Promise<IteratorResult<M, undefined>> {
    return this.follower.next();
  }

  override return(): Promise<IteratorResult<M, undefined>> {
    return this.follower.return();
  }

  override async throw(error: unknown): Promise<never> {
    await this.follower.return();
    throw error;
  }
}
