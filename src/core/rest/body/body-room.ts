import { AppError } from '../../errors/app-error.js';

const MB = 1024 * 1024;
/** Bytes of bodies that this process has in memory at a time: of all callers, and of one. */
const ROOM = 512 * MB;
const ROOM_OF_ONE = 160 * MB;
/** Lighter bodies are not counted: the limit on calls bounds them. */
const LIGHT = MB;

/** Bounds the memory that bodies take together, from their first byte until they are answered. */
export class BodyRoom {
  private taken = 0;
  private readonly byCaller = new Map<string, number>();

  /** @returns how to give the room back @throws AppError 503 when there is none */
  take(caller: string, bytes: number): () => void {
    if (bytes <= LIGHT) return () => undefined;
    const own = this.byCaller.get(caller) ?? 0;
    // A single body passes whatever its size is: its own limit bounds it.
    if ((own > 0 && own + bytes > ROOM_OF_ONE) || (this.taken > 0 && this.taken + bytes > ROOM)) throw noRoom();
    this.add(caller, bytes);
    return () => this.add(caller, -bytes);
  }

  private add(caller: string, bytes: number): void {
    this.taken += bytes;
    const own = (this.byCaller.get(caller) ?? 0) + bytes;
    if (own > 0) this.byCaller.set(caller, own);
    else this.byCaller.delete(caller);
  }
}

function noRoom(): AppError {
  return new AppError(503, 'TOO_BUSY', 'Too busy', 'Too many large bodies are being read at this moment.', {
    remedy: 'Try again in a few seconds, with fewer uploads at a time.',
    headers: { 'Retry-After': '5' },
  });
}
