import type { IncomingMessage } from 'node:http';
import { AppError, InvalidRequest } from '../../errors/app-error.js';

/** Pieces in which any body may arrive, and bytes that each has on average where there are more: every piece costs the parser a call. */
const MAX_SMALL_PIECES = 1_000;
const MIN_PIECE_BYTES = 32;
/** In each interval of so many milliseconds a body must go on by so many bytes: 8 kB a second. */
const MIN_PACE = { interval: 15_000, bytes: 120 * 1024 };

/** Watches how a body arrives on its connection, until it is stopped or refuses the body. */
export class BodyArrival {
  /** Bytes as they were sent. */
  received = 0;
  private pieces = 0;
  private receivedBefore = 0;
  private readonly since = performance.now();
  private timer?: NodeJS.Timeout;
  private isStopped = false;

  /**
   * @param time milliseconds in which the whole body must arrive
   * @param refuse called once, with 408 or 400
   */
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
      // The parser has more of them.
      this.request.socket.pause();
      this.end(tooSmallPieces());
    }
  };

  private wait(): void {
    const left = this.since + this.time - performance.now();
    // What has arrived while the event loop was busy is read before it is missed.
    this.timer = setTimeout(() => setImmediate(() => this.judge()), Math.max(0, Math.min(this.pace.interval, left)));
  }

  private judge(): void {
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
