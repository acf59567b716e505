import type { Request } from 'express';
import { AppError, InvalidRequest } from '../errors/app-error.js';

/** What precedes the path of a request target in absolute form (RFC 9112, 3.2.2). */
const SCHEME_AND_AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/** Characters of the query; the longest that a client needs is a filter and a cursor. */
const MAX_QUERY_LENGTH = 8 * 1024;

/**
 * The path and the query of a request target. Express passes a request whose target it cannot parse, such as one of an
 * absolute form with a broken authority, by every middleware, those that count and log included.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const rest = target.replace(SCHEME_AND_AUTHORITY, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

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
