import type { IncomingMessage } from 'node:http';
import { AppError, InvalidRequest } from '../../errors/app-error.js';

/** Bodies with more chunks than this need a minimum average chunk size, because each chunk costs a call of the parser. */
const MAX_SMALL_PIECES = 1_000;
const MIN_PIECE_BYTES = 32;
/** The minimum pace of a body per interval in milliseconds: 8 kB a second. */
const MIN_PACE = { interval: 15_000, bytes: 120 * 1024 };

/** Monitors the arrival of a body until it is stopped or rejects the body. */
export class BodyArrival {
  /** The number of bytes received, before decompression. */
  received = 0;
  private pieces = 0;
  private receivedBefore = 0;
  private readonly since = performance.now();
  private timer?: NodeJS.Timeout;
  private isStopped = false;

  /** @param time the timeout of the whole body in milliseconds @param refuse called once, with the 408 or 400 error */
  constructor(
    private readonly request: IncomingMessage,
    private readonly time: number,
    private readonly refuse: (reason: AppError) => void,
    private readonly pace = MIN_PACE,
  ) {
    request.on('data', this.count);
    this.wait();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.request.off('data', this.count);
  }

  private readonly count = (chunk: Buffer): void => {
    this.received += chunk.length;
    this.pieces += 1;
    if (this.pieces > MAX_SMALL_PIECES && this.received < this.pieces * MIN_PIECE_BYTES) {
      // The parser has buffered more chunks.
      this.request.socket.pause();
      this.end(tooSmallPieces());
    }
  };

  private wait(): void {
    const left = this.since + this.time - performance.now();
    // `setImmediate` first reads what arrived while the event loop was busy.
    this.timer = setTimeout(() => setImmediate(() => this.check()), Math.max(0, Math.min(this.pace.interval, left)));
  }

  private check(): void {
    if (this.isStopped) return;
    if (performance.now() - this.since >= this.time)
      return this.end(tooSlow(`the body did not arrive within ${this.time / 1000} seconds`));
    if (this.received - this.receivedBefore < this.pace.bytes)
      return this.end(
        tooSlow(`fewer than ${this.pace.bytes} bytes of the body arrived in ${this.pace.interval / 1000} seconds`),
      );
    this.receivedBefore = this.received;
    this.wait();
  }

  private end(reason: AppError): void {
    this.stop();
    this.refuse(reason);
  }
}

const tooSmallPieces = (): AppError =>
  new InvalidRequest(`the body arrived in pieces of fewer than ${MIN_PIECE_BYTES} bytes`, {
    remedy: 'Send the body in larger chunks.',
    headers: { Connection: 'close' },
  });

const tooSlow = (detail: string): AppError =>
  new AppError(408, 'REQUEST_TIMEOUT', 'Request timeout', detail, {
    remedy: 'Send it again over a faster connection, or send less.',
    headers: { Connection: 'close' },
  });
