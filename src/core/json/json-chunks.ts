import { TimeSlicer } from '../time-slicer.js';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The maximum bytes of JSON to parse or serialize at once on the event loop, which takes a few milliseconds; larger
 * values are chunked or go to a worker.
 */
export const INLINE_MAX_BYTES = 100 * 1024;

/** The approximate size of a chunk; a larger item is a chunk of its own. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Serializes items to JSON arrays in separate buffers, each small enough for one turn of the event loop. Tasks
 * transfer the buffers between threads.
 */
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

/** Parses chunks to items, yielding to the event loop between chunks. */
export async function fromJsonChunks<T>(chunks: Bytes[]): Promise<T[]> {
  const turns = new TimeSlicer();
  const items: T[] = [];
  for (const chunk of chunks) {
    items.push(...(JSON.parse(Buffer.from(chunk.buffer).toString()) as T[]));
    await turns.yieldToEventLoop();
  }
  return items;
}
