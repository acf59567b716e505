import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { AppError, InvalidRequest } from '../errors/app-error.js';
import { limitRemedy } from '../errors/limit-remedy.js';
import { currentRequest } from '../telemetry/request-context.js';
import type { InFlightResponse } from '../telemetry/in-flight-response.js';

/** How long an answer waits for others to end. */
const MAX_WAIT_MS = 10_000;
/** Answers that wait, and those of one caller. */
const MAX_WAITING = 200;
const MAX_WAITING_PER_CALLER = 20;
/** An answer may take so long to be sent, and a second more for each of so many bytes: a slow reader is cut off then. */
const SEND_TIMEOUT_MS = 60_000;
const MIN_BYTES_PER_SECOND = 64 * 1024;
/** What a streamed answer has in memory: a batch as records and as JSON, and what the connection has not taken yet. */
const STREAM_BYTES = 4 * 1024 * 1024;

interface WaitingResponse {
  response: InFlightResponse;
  bytes: number;
  start: () => void;
}

/**
 * The memory that answers with contents may take: what one of them carries, and what all of this process carry together.
 * An answer gives back what it holds when it has been sent. It belongs to the call that is being served; work that nobody
 * waits for, as in jobs, is not counted.
 */
@Injectable()
export class ResponseBudget {
  private reservedBytes = 0;
  private readonly byCaller = new Map<string, number>();
  private waiting: WaitingResponse[] = [];

  constructor(private readonly env: Env) {}

  /** Bytes that all answers hold at this moment. */
  get usedBytes(): number {
    return this.reservedBytes;
  }

  /**
   * Counts contents before they are read, and waits while other answers hold the whole budget. A single one of any size
   * passes when the answer has no others.
   * @throws InvalidRequest ANSWER_TOO_LARGE, AppError 503 TOO_BUSY when waiting takes too long
   */
  async reserve(bytes: number, count = 1): Promise<void> {
    const answer = currentRequest()?.response;
    if (!answer) return;
    if ((count > 1 || answer.contentBytes > 0) && answer.contentBytes + bytes > this.env.LIMIT_ANSWER_BYTES)
      throw this.tooLarge();
    answer.contentBytes += bytes;
    await this.acquire(answer, bytes);
  }

  /**
   * Reads one content within the budget.
   * @param bytes what it is taken for before it is read; what it turns out to be counts in the end
   */
  async readReserved<T extends string | Buffer>(bytes: number, read: () => Promise<T>): Promise<T> {
    await this.reserve(bytes);
    const content = await read();
    const difference = content.length - bytes;
    const answer = currentRequest()?.response;
    if (!answer || answer.isClosed) return content;
    answer.contentBytes += difference;
    this.add(answer, difference);
    if (answer.contentBytes > content.length && answer.contentBytes > this.env.LIMIT_ANSWER_BYTES)
      throw this.tooLarge();
    return content;
  }

  /**
   * Does the work that needs `count` contents in memory as they are stored, which is less than what is shown of them.
   * @throws InvalidRequest ANSWER_TOO_LARGE before any is read
   */
  async withReserved(stored: number, count: number, work: () => Promise<void>): Promise<void> {
    if (count > 1 && stored > this.env.LIMIT_ANSWER_BYTES) throw this.tooLarge();
    const answer = currentRequest()?.response;
    if (!answer) return work();
    await this.acquire(answer, stored);
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
  async readShared(key: string, read: () => Promise<string>): Promise<string> {
    const contents = currentRequest()?.response?.contentKeys;
    const again = contents?.has(key) ?? false;
    contents?.add(key);
    const text = await read();
    if (again) await this.reserve(text.length);
    return text;
  }

  /** Counts an answer of so many bytes, as far as its contents do not count already. */
  async reserveSerialized(bytes: number): Promise<void> {
    const answer = currentRequest()?.response;
    if (answer && bytes > answer.bytes) await this.acquire(answer, bytes - answer.bytes);
  }

  /**
   * The same for an answer of many records, whose other fields are large too when there are enough of them.
   * @throws InvalidRequest ANSWER_TOO_LARGE
   */
  async reserveSerializedList(bytes: number): Promise<void> {
    if (bytes > this.maxSerializedBytes) throw this.tooLarge();
    await this.reserveSerialized(bytes);
  }

  /**
   * Counts an answer that is made while it is sent.
   * @returns what is to be called whenever the caller has taken a part, which starts the time for the next
   * @throws AppError 503 TOO_BUSY
   */
  async reserveStream(): Promise<() => void> {
    const answer = currentRequest()?.response;
    await this.reserveSerialized(STREAM_BYTES);
    return () => {
      if (!answer?.sendTimeout) return;
      clearTimeout(answer.sendTimeout);
      this.limitSendTime(answer, STREAM_BYTES);
    };
  }

  /** Bytes of an answer to an operation: its contents, and as much again for all else. */
  get maxSerializedBytes(): number {
    return Math.max(this.env.LIMIT_ANSWER_BYTES, currentRequest()?.response?.contentBytes ?? 0) * 2;
  }

  private async acquire(answer: InFlightResponse, bytes: number): Promise<void> {
    answer.caller ??= currentRequest()?.actor?.userId ?? '';
    if (!this.hasRoomFor(answer, bytes)) await this.wait(answer, bytes);
    if (answer.isClosed) throw new Error('the caller has gone');
    this.add(answer, bytes);
  }

  /** A caller has at most half of the budget, so that one alone keeps nobody waiting; an answer alone passes always. */
  private hasRoomFor(answer: InFlightResponse, bytes: number): boolean {
    const limit = this.env.LIMIT_ANSWERS_BYTES;
    const own = this.heldByCaller(answer);
    return (
      (this.reservedBytes === answer.bytes || this.reservedBytes + bytes <= limit) &&
      (own === answer.bytes || own + bytes <= limit / 2)
    );
  }

  private heldByCaller({ caller = '' }: InFlightResponse): number {
    return this.byCaller.get(caller) ?? 0;
  }

  private add(answer: InFlightResponse, bytes: number): void {
    if (answer.bytes === 0) this.startTimeout(answer, bytes);
    answer.bytes += bytes;
    this.addToTotals(answer, bytes);
  }

  private startTimeout(answer: InFlightResponse, bytes: number): void {
    this.limitSendTime(answer, bytes);
    answer.onRelease(() => {
      clearTimeout(answer.sendTimeout);
      answer.sendTimeout = undefined;
      this.addToTotals(answer, -answer.bytes);
      answer.bytes = 0;
      this.startNext();
    });
  }

  private limitSendTime(answer: InFlightResponse, bytes: number): void {
    const milliseconds = SEND_TIMEOUT_MS + (bytes / MIN_BYTES_PER_SECOND) * 1000;
    answer.sendTimeout = setTimeout(() => answer.abort(), milliseconds).unref();
  }

  private addToTotals(answer: InFlightResponse, bytes: number): void {
    this.reservedBytes += bytes;
    const own = this.heldByCaller(answer) + bytes;
    if (own > 0) this.byCaller.set(answer.caller ?? '', own);
    else this.byCaller.delete(answer.caller ?? '');
  }

  private wait(answer: InFlightResponse, bytes: number): Promise<void> {
    const ofCaller = this.waiting.filter((each) => each.response.caller === answer.caller).length;
    if (this.waiting.length >= MAX_WAITING || ofCaller >= MAX_WAITING_PER_CALLER) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.waiting = this.waiting.filter((each) => each !== entry);
      };
      const timer = setTimeout(() => {
        leave();
        reject(tooBusy());
      }, MAX_WAIT_MS).unref();
      const start = (): void => {
        leave();
        resolve();
      };
      const entry: WaitingResponse = { response: answer, bytes, start };
      answer.onRelease(start);
      this.waiting.push(entry);
    });
  }

  /** Lets the next answer go on: one that holds something already, else one of the caller who holds least. */
  private startNext(): void {
    const share = ({ response: answer }: WaitingResponse): number =>
      answer.bytes > 0 ? -1 : this.heldByCaller(answer);
    const ready = this.waiting.filter(({ response: answer, bytes }) => this.hasRoomFor(answer, bytes));
    ready.sort((a, b) => share(a) - share(b))[0]?.start();
    if (ready.length > 1) setImmediate(() => this.startNext());
  }

  private tooLarge(): InvalidRequest {
    const limit = this.env.LIMIT_ANSWER_BYTES;
    return new InvalidRequest(`the contents of this answer have more than ${limit} bytes together`, {
      code: 'ANSWER_TOO_LARGE',
      errors: [{ pointer: 'pagesize', detail: `is too large for contents of ${limit} bytes in one answer` }],
      remedy: limitRemedy(
        'Ask for fewer records at once (pagesize), leave the contents out (populate, or the field), or download each.',
        'LIMIT_ANSWER_BYTES',
      ),
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
