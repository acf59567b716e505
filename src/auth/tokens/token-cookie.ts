import type { IncomingHttpHeaders } from 'node:http';
import { readCookies } from '../../core/rest/read-cookies.js';

/** What only browsers send: another site could make them send a cookie. */
const BROWSER_HEADERS = ['origin', 'referer', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'sec-fetch-user'];

/**
 * The token of the cookie `token`, which command lines made for other systems with this interface send in place of `Authorization`.
 * Undefined beside that header, for browsers, and where the cookie is sent more than once.
 */
export function readTokenCookie(headers: IncomingHttpHeaders): string | undefined {
  const { authorization, 'user-agent': agent = '' } = headers;
  if (authorization !== undefined) return undefined;
  if (agent.startsWith('Mozilla/') || BROWSER_HEADERS.some((name) => headers[name] !== undefined)) return undefined;
  const tokens = readCookies(headers, 'token');
  const [token] = tokens;
  return tokens.length === 1 && token !== '' ? token : undefined;
}
