import { TimeSlicer } from '../time-slicer.js';

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of JSON that are parsed or written on the event loop at once, which takes a few milliseconds; more goes to a worker or in pieces. */
export const INLINE_MAX_BYTES = 100 * 1024;

/** About the bytes of one chunk; a larger item is a chunk of its own. */
const CHUNK_BYTES = 64 * 1024;

/** Items as JSON arrays in buffers of their own, each small enough for one turn of the event loop: for tasks, which hand them over. */
export function toJsonChunks(items: Iterable<unknown>): Bytes[] {
  const chunks: Bytes[] = [];
  let texts: string[] = [];
  let size = 0;
  const flush = (): void => {
    if (texts.length > 0) chunks.push(new TextEncoder().encode(`[${texts.join(',')}]`));
    [texts, size] = [[], 0];
  };
  for (const item of items) {
    const text = JSON.stringify(item) ?? 'null';
    if (size + text.length > CHUNK_BYTES) flush();
    texts.push(text);
    size += text.length;
  }
  flush();
  return chunks;
}

/** The items again, chunk by chunk, with turns for others in between. */
export async function fromJsonChunks<T>(chunks: Bytes[]): Promise<T[]> {
  const turns = new TimeSlicer();
  const items: T[] = [];
  for (const chunk of chunks) {
    items.push(...(JSON.parse(Buffer.from(chunk.buffer).toString()) as T[]));
    await turns.yieldToEventLoop();
  }
  return items;
}
