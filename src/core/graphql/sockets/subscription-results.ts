import type { ExecutionResult } from 'graphql';
import { Follower } from '../../pubsub/follower.js';
import { SharedMessage } from '../../pubsub/shared-message.js';
import { currentRequest } from '../../telemetry/request-context.js';

/** The maximum number of messages in one write, and their approximate maximum length in characters. */
const MAX_MESSAGES = 64;
const MAX_CHARACTERS = 64 * 1024;

/** Sends serialized results of one operation; resolves when it accepts more. */
export type SendResults = (results: string[]) => Promise<void>;

type Result = ExecutionResult | Promise<ExecutionResult>;

interface SharedResult {
  result: Result;
  /** The result as JSON; null when it has errors or is not ready. */
  text: string | null;
}

/**
 * Iterates over the results of a subscription. Results that many subscribers share are serialized once and sent
 * directly, all available ones in one write; others are returned. Not a generator, whose return() would wait for the
 * next message before it ends the source.
 */
export class SubscriptionResults implements AsyncIterableIterator<ExecutionResult> {
  private messages: unknown[] = [];
  private ended = false;

  /** @param operation identifies the operation with its variables, when subscribers share its results */
  constructor(
    private readonly source: AsyncIterator<unknown>,
    private readonly resolve: (message: unknown) => Result,
    private readonly operation: string | undefined,
    private readonly sendResults: SendResults | undefined,
  ) {}

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    while (!this.ended) {
      currentRequest()?.response?.release();
      if (this.messages.length === 0) this.messages = await this.readMessages();
      if (this.messages.length === 0) break;
      const results = this.takeTexts();
      if (results.length > 0) await this.sendResults?.(results);
      else return { done: false, value: await this.findResult(this.messages.shift()) };
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.ended = true;
    this.messages = [];
    await this.source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns an empty list at the end. */
  private async readMessages(): Promise<unknown[]> {
    if (this.source instanceof Follower) return this.source.nextBatch(MAX_MESSAGES) as Promise<unknown[]>;
    const message: IteratorResult<unknown, unknown> = await this.source.next();
    return message.done ? [] : [message.value];
  }

  /** Takes the next results that are serialized. */
  private takeTexts(): string[] {
    const texts: string[] = [];
    for (let characters = 0; this.messages.length > 0 && characters < MAX_CHARACTERS;) {
      const text = this.sendResults && this.findShared(this.messages[0])?.text;
      if (typeof text !== 'string') break;
      this.messages.shift();
      texts.push(text);
      characters += text.length;
    }
    return texts;
  }

  private findResult(message: unknown): Result {
    return this.findShared(message)?.result ?? this.resolve(message);
  }

  private findShared(message: unknown): SharedResult | null {
    if (!this.operation || !(message instanceof SharedMessage)) return null;
    return message.answerOnce(this.operation, () => {
      const result = this.resolve(message);
      return { result, text: result instanceof Promise || result.errors ? null : JSON.stringify(result) };
    });
  }
}
