import type { Request } from 'express';
import { AppError, InvalidRequest } from '../errors/app-error.js';

/** The scheme and authority of a request target in absolute form (RFC 9112, 3.2.2). */
const SCHEME_AND_AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/** The maximum length of the query; the longest useful one has a filter and a cursor. */
const MAX_QUERY_LENGTH = 8 * 1024;

/**
 * Returns the path and query of a request target. Express skips all middlewares, including rate limits and logs, for
 * targets that it cannot parse, such as an absolute form with a malformed authority.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const rest = target.replace(SCHEME_AND_AUTHORITY, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** @throws InvalidRequest when the path contains NUL @throws AppError 414 when the query is too long */
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
