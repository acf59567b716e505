import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { InvalidRequest } from '../errors/app-error.js';
import { limitRemedy } from '../errors/limit-remedy.js';
import { currentRequest } from '../telemetry/request-context.js';
import type { InFlightResponse } from '../telemetry/in-flight-response.js';
import { ResponseMemory } from './response-memory.js';

/** What a streamed answer has in memory: a batch as records and as JSON, and what the connection has not taken yet. */
const STREAM_BYTES = 4 * 1024 * 1024;

/**
 * The memory that answers with contents may take: what one of them carries, and what all of this process carry together.
 * An answer gives back what it holds when it has been sent. It belongs to the call that is being served; work that nobody
 * waits for, as in jobs, is not counted.
 */
@Injectable()
export class ResponseBudget {
  private readonly memory: ResponseMemory;

  constructor(private readonly env: Env) {
    this.memory = new ResponseMemory(env.LIMIT_ANSWERS_BYTES);
  }

  /** Bytes that all answers hold at this moment. */
  get usedBytes(): number {
    return this.memory.usedBytes;
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
    this.memory.add(answer, difference);
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
      if (!answer.isClosed) this.memory.add(answer, -stored);
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
      this.memory.limitSendTime(answer, STREAM_BYTES);
    };
  }

  /** Bytes of an answer to an operation: its contents, and as much again for all else. */
  get maxSerializedBytes(): number {
    return Math.max(this.env.LIMIT_ANSWER_BYTES, currentRequest()?.response?.contentBytes ?? 0) * 2;
  }

  private async acquire(answer: InFlightResponse, bytes: number): Promise<void> {
    answer.caller ??= currentRequest()?.actor?.userId ?? '';
    await this.memory.acquire(answer, bytes);
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
