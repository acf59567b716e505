import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { InvalidRequest } from '../errors/app-error.js';
import { limitRemedy } from '../errors/limit-remedy.js';
import { currentRequest } from '../telemetry/request-context.js';
import type { InFlightResponse } from '../telemetry/in-flight-response.js';
import { ResponseMemory } from './response-memory.js';

/** The memory of a streamed response: a batch as records and as JSON, and unsent bytes of the connection. */
const STREAM_BYTES = 4 * 1024 * 1024;

/**
 * Limits the memory of responses with contents: per response, and of all responses of this process together. A
 * response releases its memory when it has been sent. Memory is attributed to the current request; work outside of
 * requests, such as jobs, is not counted.
 */
@Injectable()
export class ResponseBudget {
  private readonly memory: ResponseMemory;

  constructor(private readonly env: Env) {
    this.memory = new ResponseMemory(env.LIMIT_RESPONSES_BYTES);
  }

  /** The bytes that all responses hold now. */
  get usedBytes(): number {
    return this.memory.usedBytes;
  }

  /**
   * Reserves memory before contents are read, and waits while other responses hold the whole budget. A single
   * content of any size is allowed when the response has no other.
   * @throws InvalidRequest ANSWER_TOO_LARGE
   * @throws AppError 503 TOO_BUSY when the wait times out
   */
  async reserve(bytes: number, count = 1): Promise<void> {
    const answer = currentRequest()?.response;
    if (!answer) return;
    if ((count > 1 || answer.contentBytes > 0) && answer.contentBytes + bytes > this.env.LIMIT_RESPONSE_BYTES)
      throw this.tooLarge();
    answer.contentBytes += bytes;
    await this.acquire(answer, bytes);
  }

  /** Reads one content within the budget. @param bytes the estimated size; the actual size is counted after the read */
  async readReserved<T extends string | Buffer>(bytes: number, read: () => Promise<T>): Promise<T> {
    await this.reserve(bytes);
    const content = await read();
    const difference = content.length - bytes;
    const answer = currentRequest()?.response;
    if (!answer || answer.isClosed) return content;
    answer.contentBytes += difference;
    this.memory.add(answer, difference);
    if (answer.contentBytes > content.length && answer.contentBytes > this.env.LIMIT_RESPONSE_BYTES)
      throw this.tooLarge();
    return content;
  }

  /**
   * Runs work that needs `count` contents in memory in their stored form, which is smaller than the form in the
   * response.
   * @throws InvalidRequest ANSWER_TOO_LARGE before any is read
   */
  async withReserved(stored: number, count: number, work: () => Promise<void>): Promise<void> {
    if (count > 1 && stored > this.env.LIMIT_RESPONSE_BYTES) throw this.tooLarge();
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
   * Reads a content that one response may contain several times, under other names or in other lists. It is read
   * once and counted each time, because the response contains it each time.
   */
  async readShared(key: string, read: () => Promise<string>): Promise<string> {
    const contents = currentRequest()?.response?.contentKeys;
    const again = contents?.has(key) ?? false;
    contents?.add(key);
    const text = await read();
    if (again) await this.reserve(text.length);
    return text;
  }

  /** Reserves memory for a serialized response, minus what its contents already count. */
  async reserveSerialized(bytes: number): Promise<void> {
    const answer = currentRequest()?.response;
    if (answer && bytes > answer.bytes) await this.acquire(answer, bytes - answer.bytes);
  }

  /**
   * Like `reserveSerialized`, for a response of many records, whose other fields are large in total.
   * @throws InvalidRequest ANSWER_TOO_LARGE
   */
  async reserveSerializedList(bytes: number): Promise<void> {
    if (bytes > this.maxSerializedBytes) throw this.tooLarge();
    await this.reserveSerialized(bytes);
  }

  /**
   * Reserves memory for a streamed response.
   * @returns a function to call whenever the client has received a part, which restarts the send timeout
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

  /** The maximum bytes of a serialized operation result: its contents, and the same again for everything else. */
  get maxSerializedBytes(): number {
    return Math.max(this.env.LIMIT_RESPONSE_BYTES, currentRequest()?.response?.contentBytes ?? 0) * 2;
  }

  private async acquire(answer: InFlightResponse, bytes: number): Promise<void> {
    answer.caller ??= currentRequest()?.actor?.userId ?? '';
    await this.memory.acquire(answer, bytes);
  }

  private tooLarge(): InvalidRequest {
    const limit = this.env.LIMIT_RESPONSE_BYTES;
    return new InvalidRequest(`the contents of this response have more than ${limit} bytes together`, {
      code: 'ANSWER_TOO_LARGE',
      errors: [{ pointer: 'pagesize', detail: `is too large for contents of ${limit} bytes in one response` }],
      remedy: limitRemedy(
        'Ask for fewer records at once (pagesize), leave the contents out (populate, or the field), or download each.',
        'LIMIT_RESPONSE_BYTES',
      ),
      extensions: { limit },
    });
  }
}
