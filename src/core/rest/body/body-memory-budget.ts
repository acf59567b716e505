import { AppError } from '../../errors/app-error.js';

const MB = 1024 * 1024;
/** The maximum memory of bodies in this process: in total, and of one caller with several. */
const MAX_BYTES = 512 * MB;
const MAX_BYTES_PER_CALLER = 160 * MB;
/** Bodies up to this size are never evicted, and have a reserve of their own, in total and per caller. */
const SMALL_BYTES = MB;
const SMALL_RESERVE = 128 * MB;
const SMALL_RESERVE_PER_CALLER = 32 * MB;
/** Milliseconds after which an incomplete body can be evicted in favour of a faster one. */
const GRACE_MS = 10_000;

/** The memory that one body reserves. */
export class BodyReservation {
  bytes = 0;
  /** Called when the body is evicted in favour of a faster one; the receiver rejects it. */
  onEvicted: (reason: AppError) => void = () => undefined;

  constructor(
    readonly caller: string,
    readonly since: number,
    private readonly budget: BodyMemoryBudget,
  ) {}

  /** Reserves memory for received bytes. @throws AppError 503 when none is free */
  take(bytes: number): void {
    this.budget.take(this, bytes);
  }

  /** Marks the body as complete; it is no longer evicted. */
  complete(): void {
    this.budget.complete(this);
  }

  /** Releases the memory. */
  release(): void {
    this.budget.release(this);
  }
}

/**
 * Limits the memory of request bodies, from their first byte to the response. Received bytes count, not the
 * Content-Length. When no memory is free, the slowest body is evicted in favour of a faster one.
 */
export class BodyMemoryBudget {
  private total = 0;
  private readonly byCaller = new Map<string, number>();
  private readonly open = new Set<BodyReservation>();
  private readonly arriving = new Set<BodyReservation>();

  /** @param now returns the milliseconds of a monotonic clock */
  constructor(private readonly now = (): number => performance.now()) {}

  reserve(caller: string): BodyReservation {
    const body = new BodyReservation(caller, this.now(), this);
    this.open.add(body);
    this.arriving.add(body);
    return body;
  }

  take(body: BodyReservation, bytes: number): void {
    if (!this.open.has(body)) return;
    if (!this.isWithinShare(body, bytes)) throw tooBusy();
    while (!this.isAvailableTo(body, bytes)) {
      const slowest = this.findSlower(body);
      if (!slowest) throw tooBusy();
      this.release(slowest);
      slowest.onEvicted(tooBusy());
    }
    this.add(body, bytes);
  }

  complete(body: BodyReservation): void {
    this.arriving.delete(body);
  }

  release(body: BodyReservation): void {
    this.arriving.delete(body);
    if (this.open.delete(body)) this.add(body, -body.bytes);
  }

  /** A caller's only body is limited by its own maximum size alone. */
  private isWithinShare(body: BodyReservation, bytes: number): boolean {
    const own = this.byCaller.get(body.caller) ?? 0;
    const limit = MAX_BYTES_PER_CALLER + (isSmall(body, bytes) ? SMALL_RESERVE_PER_CALLER : 0);
    return own === body.bytes || own + bytes <= limit;
  }

  /** Several bodies of one caller may use at most as much memory as they leave free for others. */
  private isAvailableTo(body: BodyReservation, bytes: number): boolean {
    const own = this.byCaller.get(body.caller) ?? 0;
    const free = MAX_BYTES - this.total + (isSmall(body, bytes) ? SMALL_RESERVE : 0);
    return (own === body.bytes ? bytes : own + bytes) <= free;
  }

  /** Returns the slowest incomplete large body, if it is slower than this one. */
  private findSlower(body: BodyReservation): BodyReservation | undefined {
    let [found, least] = [undefined as BodyReservation | undefined, this.bytesPerSecond(body)];
    for (const each of this.arriving) {
      if (each === body || each.bytes <= SMALL_BYTES || this.bytesPerSecond(each) >= least) continue;
      [found, least] = [each, this.bytesPerSecond(each)];
    }
    return found;
  }

  /** The average speed of a body; one that has just started counts as fast. */
  private bytesPerSecond({ since, bytes }: BodyReservation): number {
    const time = this.now() - since;
    return time < GRACE_MS ? Infinity : (bytes * 1000) / time;
  }

  private add(body: BodyReservation, bytes: number): void {
    body.bytes += bytes;
    this.total += bytes;
    const own = (this.byCaller.get(body.caller) ?? 0) + bytes;
    if (own > 0) this.byCaller.set(body.caller, own);
    else this.byCaller.delete(body.caller);
  }
}

const isSmall = (body: BodyReservation, more: number): boolean => body.bytes + more <= SMALL_BYTES;

function tooBusy(): AppError {
  return new AppError(503, 'TOO_BUSY', 'Too busy', 'Too many large bodies are being read at this moment.', {
    remedy: 'Try again in a few seconds, with fewer uploads at a time.',
    headers: { 'Retry-After': '5' },
  });
}
