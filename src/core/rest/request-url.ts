import type { Request } from 'express';
import { AppError, InvalidRequest } from '../errors/app-error.js';

/** Characters of the query; the longest that a client needs is a filter and a cursor. */
const MAX_QUERY_LENGTH = 8 * 1024;

/**
 * Checks what no route can make sense of, without reading what the address says.
 * @throws InvalidRequest when the path holds the NUL character, AppError 414 when the query is too long
 */
export function assertUrl({ originalUrl }: Request): void {
  const mark = originalUrl.indexOf('?');
  const path = mark < 0 ? originalUrl : originalUrl.slice(0, mark);
  const query = mark < 0 ? '' : originalUrl.slice(mark + 1);
  if (path.includes('%00')) throw new InvalidRequest('the path must not contain the NUL character');
  if (query.length <= MAX_QUERY_LENGTH) return;
  throw new AppError(414, 'URI_TOO_LONG', 'URI too long', `the query has more than ${MAX_QUERY_LENGTH} characters`, {
    remedy: 'Send fewer or shorter parameters.',
  });
}
