import { AppError } from '../errors/app-error.js';
import { limitRemedy } from '../errors/limit-remedy.js';
import type { InFlightResponse } from '../telemetry/in-flight-response.js';

/** The timeout of waiting for memory. */
const MAX_WAIT_MS = 10_000;
/** The maximum number of waiting responses, in total and per caller. */
const MAX_WAITING = 200;
const MAX_WAITING_PER_CALLER = 20;
/** The send timeout of a response, plus one second per number of bytes below; slower clients are disconnected. */
const SEND_TIMEOUT_MS = 60_000;
const MIN_BYTES_PER_SECOND = 64 * 1024;

interface WaitingResponse {
  response: InFlightResponse;
  bytes: number;
  start: () => void;
}

/** The memory that all responses of this process hold, and a fair queue of those that wait for it. */
export class ResponseMemory {
  private reservedBytes = 0;
  private readonly byCaller = new Map<string, number>();
  private readonly holding = new Set<InFlightResponse>();
  private waiting: WaitingResponse[] = [];

  /** @param limit in bytes */
  constructor(private readonly limit: number) {}

  /** The bytes that all responses hold now. */
  get usedBytes(): number {
    return this.reservedBytes;
  }

  /** Waits until the response may hold this many more bytes. @throws AppError 503 TOO_BUSY on a timeout */
  async acquire(answer: InFlightResponse, bytes: number): Promise<void> {
    if (!this.hasRoomFor(answer, bytes)) await this.wait(answer, bytes);
    if (answer.isClosed) throw new Error('the caller has disconnected');
    this.add(answer, bytes);
  }

  /** Adds bytes that a response already holds; a negative number releases them. */
  add(answer: InFlightResponse, bytes: number): void {
    if (answer.bytes === 0) this.startTimeout(answer, bytes);
    answer.bytes += bytes;
    this.addToTotals(answer, bytes);
  }

  /** Disconnects the client when it does not receive the response in time. */
  limitSendTime(answer: InFlightResponse, bytes: number): void {
    const milliseconds = SEND_TIMEOUT_MS + (bytes / MIN_BYTES_PER_SECOND) * 1000;
    answer.sendTimeout = setTimeout(() => answer.abort(), milliseconds).unref();
  }

  /**
   * All responses share the budget, and those of one caller share half of it; a response that is the only one to hold
   * memory is exempt. When all responses that hold memory wait for more, one proceeds, because otherwise none would
   * ever end.
   */
  private hasRoomFor(answer: InFlightResponse, bytes: number): boolean {
    const own = this.heldByCaller(answer);
    const isStuck = answer.bytes > 0 && this.othersWait(answer);
    const areOwnStuck = isStuck || (answer.bytes > 0 && this.othersWait(answer, answer.caller));
    return (
      (isStuck || this.reservedBytes === answer.bytes || this.reservedBytes + bytes <= this.limit) &&
      (areOwnStuck || own === answer.bytes || own + bytes <= this.limit / 2)
    );
  }

  /** Reports whether all other responses that hold memory, of everybody or of one caller, wait for more. */
  private othersWait(answer: InFlightResponse, caller?: string): boolean {
    const waiting = new Set(this.waiting.map(({ response }) => response));
    return [...this.holding].every(
      (each) => each === answer || waiting.has(each) || (caller !== undefined && each.caller !== caller),
    );
  }

  private heldByCaller({ caller = '' }: InFlightResponse): number {
    return this.byCaller.get(caller) ?? 0;
  }

  private startTimeout(answer: InFlightResponse, bytes: number): void {
    this.limitSendTime(answer, bytes);
    this.holding.add(answer);
    answer.onRelease(() => {
      this.holding.delete(answer);
      clearTimeout(answer.sendTimeout);
      answer.sendTimeout = undefined;
      this.addToTotals(answer, -answer.bytes);
      answer.bytes = 0;
      this.startNext();
    });
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

  /** Resumes the next response: one that already holds memory, otherwise one of the caller who holds least. */
  private startNext(): void {
    const share = ({ response: answer }: WaitingResponse): number =>
      answer.bytes > 0 ? -1 : this.heldByCaller(answer);
    const ready = this.waiting.filter(({ response: answer, bytes }) => this.hasRoomFor(answer, bytes));
    ready.sort((a, b) => share(a) - share(b))[0]?.start();
    if (ready.length > 1) setImmediate(() => this.startNext());
  }
}

function tooBusy(): AppError {
  return new AppError(503, 'TOO_BUSY', 'Too busy', 'Other responses use all the memory for contents.', {
    remedy: limitRemedy('Try again in a few seconds, with fewer records at once (pagesize).', 'LIMIT_RESPONSES_BYTES'),
    headers: { 'Retry-After': '5' },
    extensions: { retry_after: 5 },
  });
}
