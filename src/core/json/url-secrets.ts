import { validate } from 'uuid';

export const REDACTED = '[redacted]';

/** A segment of a path that is rather a key than a name or an id: long, of letters and digits, and no UUID. */
const isKey = (segment: string): boolean =>
  !validate(segment) &&
  (/^[a-z0-9]{20,}$/i.test(segment) ||
    (/^[\w.~%@:-]{16,}$/.test(segment) && /[a-z]/i.test(segment) && /\d/.test(segment)));

/** How a URL is shown. */
interface Showing {
  /** Also hides segments of the path that look like keys. */
  path?: boolean;
}

/** A URL without its user info, the values of its query and its fragment; other text, and a URL without these, as it is. */
export function maskUrl(text: string, { path = false }: Showing = {}): string {
  const url = parseUrl(text);
  if (!url || secretsInUrl(text, { path }).length === 0) return text;
  const { protocol, host, username, password, pathname, search, hash } = url;
  const segments = path ? pathname.split('/').map((segment) => (isKey(segment) ? REDACTED : segment)) : [pathname];
  const parameters = search
    .slice(1)
    .split('&')
    .map((pair) => (pair.includes('=') ? pair.replace(/=.*/s, `=${REDACTED}`) : REDACTED));
  return [
    ...[`${protocol}//`, username || password ? `${REDACTED}@` : '', host, segments.join('/')],
    ...[search ? `?${parameters.join('&')}` : '', hash ? `#${REDACTED}` : ''],
  ].join('');
}

/** What `maskUrl` hides of a URL. */
export function secretsInUrl(text: string, { path = false }: Showing = {}): string[] {
  const url = parseUrl(text);
  if (!url) return [];
  const { username, password, pathname, search, hash } = url;
  const values = [...url.searchParams].map(([name, value]) => value || name);
  const keys = path ? pathname.split('/').filter(isKey) : [];
  const written = [username, password, ...keys, search.slice(1), hash.slice(1)];
  return [...new Set([...written, ...written.map(decode), ...values])].filter((value) => value !== '');
}

function parseUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.host ? url : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
