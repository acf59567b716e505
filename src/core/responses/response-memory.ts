import { AppError } from '../errors/app-error.js';
import { limitRemedy } from '../errors/limit-remedy.js';
import type { InFlightResponse } from '../telemetry/in-flight-response.js';

/** How long an answer waits for others to end. */
const MAX_WAIT_MS = 10_000;
/** Answers that wait, and those of one caller. */
const MAX_WAITING = 200;
const MAX_WAITING_PER_CALLER = 20;
/** An answer may take so long to be sent, and a second more for each of so many bytes: a slow reader is cut off then. */
const SEND_TIMEOUT_MS = 60_000;
const MIN_BYTES_PER_SECOND = 64 * 1024;

interface WaitingResponse {
  response: InFlightResponse;
  bytes: number;
  start: () => void;
}

/** The memory that all answers of this process hold together, and a fair queue of those that wait for it. */
export class ResponseMemory {
  private reservedBytes = 0;
  private readonly byCaller = new Map<string, number>();
  private readonly holding = new Set<InFlightResponse>();
  private waiting: WaitingResponse[] = [];

  /** @param limit in bytes */
  constructor(private readonly limit: number) {}

  /** Bytes that all answers hold at this moment. */
  get usedBytes(): number {
    return this.reservedBytes;
  }

  /** Waits until an answer may hold so many bytes more. @throws AppError 503 TOO_BUSY when that takes too long */
  async acquire(answer: InFlightResponse, bytes: number): Promise<void> {
    if (!this.hasRoomFor(answer, bytes)) await this.wait(answer, bytes);
    if (answer.isClosed) throw new Error('the caller has disconnected');
    this.add(answer, bytes);
  }

  /** Counts bytes that an answer holds already, or gives back when negative. */
  add(answer: InFlightResponse, bytes: number): void {
    if (answer.bytes === 0) this.startTimeout(answer, bytes);
    answer.bytes += bytes;
    this.addToTotals(answer, bytes);
  }

  /** Ends the answer when its caller does not read it in time. */
  limitSendTime(answer: InFlightResponse, bytes: number): void {
    const milliseconds = SEND_TIMEOUT_MS + (bytes / MIN_BYTES_PER_SECOND) * 1000;
    answer.sendTimeout = setTimeout(() => answer.abort(), milliseconds).unref();
  }

  /**
   * A caller has at most half of the budget, so that one alone keeps nobody waiting; an answer alone passes always. Of answers
   * that all hold something and wait for more, one passes, or none of them would ever end.
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

  /** Whether all other answers that hold something, of everybody or of one caller, wait for more. */
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

  /** Lets the next answer go on: one that holds something already, else one of the caller who holds least. */
  private startNext(): void {
    const share = ({ response: answer }: WaitingResponse): number =>
      answer.bytes > 0 ? -1 : this.heldByCaller(answer);
    const ready = this.waiting.filter(({ response: answer, bytes }) => this.hasRoomFor(answer, bytes));
    ready.sort((a, b) => share(a) - share(b))[0]?.start();
    if (ready.length > 1) setImmediate(() => this.startNext());
  }
}

function tooBusy(): AppError {
  return new AppError(503, 'TOO_BUSY', 'Too busy', 'Other answers use all the memory that is reserved for contents.', {
    remedy: limitRemedy('Try again in a few seconds, with fewer records at once (pagesize).', 'LIMIT_ANSWERS_BYTES'),
    headers: { 'Retry-After': '5' },
    extensions: { retry_after: 5 },
  });
}
