import { AppError } from '../../errors/app-error.js';

const MB = 1024 * 1024;
/** Bytes of bodies that this process has in memory at a time: of all callers, and of one. */
const MAX_BYTES = 512 * MB;
const MAX_BYTES_PER_CALLER = 160 * MB;
/** Lighter bodies are not counted: the limit on calls bounds them. */
const UNCOUNTED_BYTES = MB;

/** Bounds the memory that bodies take together, from their first byte until they are answered. */
export class BodyMemoryBudget {
  private reservedBytes = 0;
  private readonly byCaller = new Map<string, number>();

  /** @returns how to give the room back @throws AppError 503 when there is none */
  reserve(caller: string, bytes: number): () => void {
    if (bytes <= UNCOUNTED_BYTES) return () => undefined;
    const own = this.byCaller.get(caller) ?? 0;
    // A single body passes whatever its size is: its own limit bounds it.
    if (
      (own > 0 && own + bytes > MAX_BYTES_PER_CALLER) ||
      (this.reservedBytes > 0 && this.reservedBytes + bytes > MAX_BYTES)
    )
      throw tooBusy();
    this.add(caller, bytes);
    return () => this.add(caller, -bytes);
  }

  private add(caller: string, bytes: number): void {
    this.reservedBytes += bytes;
    const own = (this.byCaller.get(caller) ?? 0) + bytes;
    if (own > 0) this.byCaller.set(caller, own);
    else this.byCaller.delete(caller);
  }
}

function tooBusy(): AppError {
  return new AppError(503, 'TOO_BUSY', 'Too busy', 'Too many large bodies are being read at this moment.', {
    remedy: 'Try again in a few seconds, with fewer uploads at a time.',
    headers: { 'Retry-After': '5' },
  });
}
