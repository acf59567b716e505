import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { AppError, InvalidRequest } from '../errors/app-error.js';
import { currentRequest } from '../telemetry/request-context.js';
import type { AnswerInFlight } from './answer-in-flight.js';

/** How long an answer waits for others to end. */
const LONGEST_WAIT_MS = 10_000;
/** Answers that wait, and those of one caller. */
const MOST_WAITING = 200;
const MOST_WAITING_OF_CALLER = 20;
/** An answer may take so long to be sent, and a second more for each of so many bytes: a slow reader is cut off then. */
const LONGEST_SENDING_MS = 60_000;
const SLOWEST_BYTES_PER_SECOND = 64 * 1024;

interface Waiting {
  answer: AnswerInFlight;
  bytes: number;
  start: () => void;
}

/**
 * The memory that answers with contents may take: what one of them carries, and what all of this process carry together.
 * An answer gives back what it holds when it has been sent. It belongs to the call that is being served; work that nobody
 * waits for, as in jobs, is not counted.
 */
@Injectable()
export class AnswerBudget {
  private inFlight = 0;
  private readonly byCaller = new Map<string, number>();
  private waiting: Waiting[] = [];

  constructor(private readonly env: Env) {}

  /** Bytes that all answers hold at this moment. */
  get used(): number {
    return this.inFlight;
  }

  /**
   * Counts contents before they are read, and waits while other answers hold the whole budget. A single one of any size
   * passes when the answer has no others.
   * @throws InvalidRequest ANSWER_TOO_LARGE, AppError 503 TOO_BUSY when waiting takes too long
   */
  async take(bytes: number, count = 1): Promise<void> {
    const answer = currentRequest()?.answer;
    if (!answer) return;
    if ((count > 1 || answer.shown > 0) && answer.shown + bytes > this.env.LIMIT_ANSWER_BYTES) throw this.tooLarge();
    answer.shown += bytes;
    await this.hold(answer, bytes);
  }

  /**
   * Reads one content within the budget.
   * @param bytes what it is taken for before it is read; what it turns out to be counts in the end
   */
  async read<T extends string | Buffer>(bytes: number, read: () => Promise<T>): Promise<T> {
    await this.take(bytes);
    const content = await read();
    const difference = content.length - bytes;
    const answer = currentRequest()?.answer;
    if (!answer || answer.isClosed) return content;
    answer.shown += difference;
    this.add(answer, difference);
    if (answer.shown > content.length && answer.shown > this.env.LIMIT_ANSWER_BYTES) throw this.tooLarge();
    return content;
  }

  /**
   * Does the work that needs `count` contents in memory as they are stored, which is less than what is shown of them.
   * @throws InvalidRequest ANSWER_TOO_LARGE before any is read
   */
  async holding(stored: number, count: number, work: () => Promise<void>): Promise<void> {
    if (count > 1 && stored > this.env.LIMIT_ANSWER_BYTES) throw this.tooLarge();
    const answer = currentRequest()?.answer;
    if (!answer) return work();
    await this.hold(answer, stored);
    try {
      await work();
    } finally {
      if (!answer.isClosed) this.add(answer, -stored);
    }
  }

  /**
   * A content that one answer may show several times, under other names or in other lists. It is read once, and counts each
   * time, for the answer holds it as often.
   */
  async show(key: string, read: () => Promise<string>): Promise<string> {
    const contents = currentRequest()?.answer?.contents;
    const again = contents?.has(key) ?? false;
    contents?.add(key);
    const text = await read();
    if (again) await this.take(text.length);
    return text;
  }

  /** Counts an answer of so many bytes, as far as its contents do not count already. */
  async written(bytes: number): Promise<void> {
    const answer = currentRequest()?.answer;
    if (answer && bytes > answer.bytes) await this.hold(answer, bytes - answer.bytes);
  }

  /**
   * The same for an answer of many records, whose other fields are large too when there are enough of them.
   * @throws InvalidRequest ANSWER_TOO_LARGE
   */
  async writtenOf(bytes: number): Promise<void> {
    if (bytes > this.mostWritten) throw this.tooLarge();
    await this.written(bytes);
  }

  /** Bytes of an answer to an operation: its contents, and as much again for all else. */
  get mostWritten(): number {
    return Math.max(this.env.LIMIT_ANSWER_BYTES, currentRequest()?.answer?.shown ?? 0) * 2;
  }

  private async hold(answer: AnswerInFlight, bytes: number): Promise<void> {
    answer.caller ??= currentRequest()?.actor?.userId ?? '';
    if (!this.hasRoomFor(answer, bytes)) await this.wait(answer, bytes);
    if (answer.isClosed) throw new Error('the caller has gone');
    this.add(answer, bytes);
  }

  /** A caller has at most half of the budget, so that one alone keeps nobody waiting; an answer alone passes always. */
  private hasRoomFor(answer: AnswerInFlight, bytes: number): boolean {
    const limit = this.env.LIMIT_ANSWERS_BYTES;
    const own = this.heldBy(answer);
    return (
      (this.inFlight === answer.bytes || this.inFlight + bytes <= limit) &&
      (own === answer.bytes || own + bytes <= limit / 2)
    );
  }

  private heldBy({ caller = '' }: AnswerInFlight): number {
    return this.byCaller.get(caller) ?? 0;
  }

  private add(answer: AnswerInFlight, bytes: number): void {
    if (answer.bytes === 0) this.begin(answer, bytes);
    answer.bytes += bytes;
    this.count(answer, bytes);
  }

  private begin(answer: AnswerInFlight, bytes: number): void {
    const milliseconds = LONGEST_SENDING_MS + (bytes / SLOWEST_BYTES_PER_SECOND) * 1000;
    const timer = setTimeout(() => answer.abandon(), milliseconds).unref();
    answer.whenEnded(() => {
      clearTimeout(timer);
      this.count(answer, -answer.bytes);
      answer.bytes = 0;
      this.next();
    });
  }

  private count(answer: AnswerInFlight, bytes: number): void {
    this.inFlight += bytes;
    const own = this.heldBy(answer) + bytes;
    if (own > 0) this.byCaller.set(answer.caller ?? '', own);
    else this.byCaller.delete(answer.caller ?? '');
  }

  private wait(answer: AnswerInFlight, bytes: number): Promise<void> {
    const ofCaller = this.waiting.filter((each) => each.answer.caller === answer.caller).length;
    if (this.waiting.length >= MOST_WAITING || ofCaller >= MOST_WAITING_OF_CALLER) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.waiting = this.waiting.filter((each) => each !== entry);
      };
      const timer = setTimeout(() => {
        leave();
        reject(tooBusy());
      }, LONGEST_WAIT_MS).unref();
      const start = (): void => {
        leave();
        resolve();
      };
      const entry: Waiting = { answer, bytes, start };
      answer.whenEnded(start);
      this.waiting.push(entry);
    });
  }

  /** Lets the next answer go on: one that holds something already, else one of the caller who holds least. */
  private next(): void {
    const share = ({ answer }: Waiting): number => (answer.bytes > 0 ? -1 : this.heldBy(answer));
    const ready = this.waiting.filter(({ answer, bytes }) => this.hasRoomFor(answer, bytes));
    ready.sort((a, b) => share(a) - share(b))[0]?.start();
    if (ready.length > 1) setImmediate(() => this.next());
  }

  private tooLarge(): InvalidRequest {
    const limit = this.env.LIMIT_ANSWER_BYTES;
    return new InvalidRequest(`the contents of this answer have more than ${limit} bytes together`, {
      code: 'ANSWER_TOO_LARGE',
      errors: [{ pointer: 'pagesize', detail: `is too large for contents of ${limit} bytes in one answer` }],
      remedy:
        'Ask for fewer records at once (pagesize), leave the contents out (populate, or the field), or download each.',
      extensions: { limit },
    });
  }
}

function tooBusy(): AppError {
  return new AppError(503, 'TOO_BUSY', 'Too busy', 'Other answers take all the memory that there is for contents.', {
    remedy: 'Try again in a few seconds, with fewer records at once (pagesize).',
    headers: { 'Retry-After': '5' },
    extensions: { retry_after: 5 },
  });
}
