import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { matches } from './conditional.interceptor.js';

/** A list of everything, made while it is sent. */
export interface StreamedList {
  plural: string;
  /** What a change of the records changes: answers of one URL and one revision are the same. */
  revision: string;
  /** Views, some at a time. */
  batches: AsyncIterable<object[]>;
  /** What goes into the envelope beside `page`, `page_size` and `total_count`. */
  rest?: (total: number) => object;
}

/**
 * Sends a list without ever holding it: `page` first, then the records, and in the end how many they were. A caller who
 * names the tag of what they have is answered 304 before anything is read.
 */
export async function streamList(request: Request, response: Response, list: StreamedList): Promise<void> {
  const digest = createHash('sha1').update(request.originalUrl).digest('base64url').slice(0, 16);
  const tag = `W/"${list.revision}-${digest}"`;
  response.setHeader('ETag', tag);
  response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('Vary', 'Authorization');
  if (matches(request.headers['if-none-match'], tag)) return void response.status(304).end();
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const batches = list.batches[Symbol.asyncIterator]();
  // What is wrong with the question shows with the first batch, while an error can still be answered.
  const first = await batches.next();
  // A caller who hangs up ends it, and so does a fault underway: only breaking off tells that this was not all.
  await pipeline(Readable.from(textOf(list, first, batches)), response).catch(() => response.destroy());
}

async function* textOf(
  { plural, rest }: StreamedList,
  first: IteratorResult<object[]>,
  batches: AsyncIterator<object[]>,
): AsyncGenerator<string> {
  let total = 0;
  yield `{"page":0,"${plural}":[`;
  for (let next = first; !next.done; next = await batches.next()) {
    const separator = total === 0 || next.value.length === 0 ? '' : ',';
    total += next.value.length;
    yield separator + next.value.map((each) => JSON.stringify(each)).join(',');
  }
  const end = JSON.stringify({ page_size: total, total_count: total, ...rest?.(total) });
  yield `],${end.slice(1)}`;
}
