import { createHash } from 'node:crypto';
import { once } from 'node:events';
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
  let total = 0;
  try {
    for await (const batch of list.batches) {
      const head = total === 0 ? `{"page":0,"${list.plural}":[` : ',';
      total += batch.length;
      const isFull = !response.write(head + batch.map((each) => JSON.stringify(each)).join(','));
      if (response.destroyed) return;
      if (isFull) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  } catch (error) {
    if (!response.headersSent) throw error;
    // The status has gone out; only breaking off tells the caller that this is not all.
    response.destroy(error as Error);
    return;
  }
  if (total === 0) response.write(`{"page":0,"${list.plural}":[`);
  const end = JSON.stringify({ page_size: total, total_count: total, ...list.rest?.(total) });
  response.end(`],${end.slice(1)}`);
}
