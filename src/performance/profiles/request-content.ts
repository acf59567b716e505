import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';

/** The headers, cookies and body of requests, as they are encrypted. */
export interface RequestContent {
  headers: Record<string, string>;
  cookies: Record<string, string>;
  body: string;
}

export const EMPTY_CONTENT: RequestContent = { headers: {}, cookies: {}, body: '' };

/** The placeholder of a stored value. A client that sends it back keeps the value. */
export const HIDDEN = '[redacted]';

/** Names who sends the load to whoever reads the log of the target. */
const USER_AGENT = 'Armature-Performance/1.0';

const MAX_FIELDS = 30;
const MAX_VALUE = 4_096;
const MAX_TEXT = 32_768;
const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/i;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** No spaces, quotes, commas, semicolons and backslashes (RFC 6265). */
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
/** A valid `Host` header: a name or an address, and a port. */
const HOST_VALUE = /^[\w.~%!$&'()*+,;=:[\]-]{1,255}$/;
/** Headers that belong to the connection or to the generator. */
const RESERVED =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|cookie|proxy-.*)$/i;

export type FieldName = 'request_headers' | 'request_cookies';

/**
 * Parses headers or cookies from an object, or from the text that existing clients send: JSON, or for cookies also `a=b; c=d`.
 * @throws InvalidRequest with all faults; it never contains a value
 */
export function parseFields(
  field: FieldName,
  given: unknown,
  stored: Record<string, string> = {},
): Record<string, string> {
  const fields = toObject(field, given);
  const faults: Fault[] = [];
  const fault = (name: string, detail: string): void => {
    if (faults.length < MAX_FIELDS) faults.push({ pointer: `/${field}`, detail: `${name} ${detail}` });
  };
  const entries = Object.entries(fields);
  if (entries.length > MAX_FIELDS) fault('it', `must have at most ${MAX_FIELDS} names`);
  const known = new Set<string>();
  const parsed = entries.slice(0, MAX_FIELDS + 1).map(([name, value]): [string, string] => {
    const label = TOKEN.test(name) ? name : 'a name';
    // Header names are case-insensitive; cookie names are not.
    const key = field === 'request_headers' ? name.toLowerCase() : name;
    if (known.has(key)) fault(label, 'is given twice');
    known.add(key);
    if (!TOKEN.test(name)) fault(label, "must be letters, digits and any of !#$%&'*+.^_`|~-, at most 100");
    else if (field === 'request_headers' && RESERVED.test(name)) fault(label, 'is set by the load generator');
    if (value === HIDDEN && Object.hasOwn(stored, name)) return [name, stored[name] ?? ''];
    const allowed = field === 'request_headers' ? HEADER_VALUE : COOKIE_VALUE;
    if (typeof value !== 'string') fault(label, 'must have a text');
    else if (value.length > MAX_VALUE) fault(label, `must have at most ${MAX_VALUE} characters`);
    else if (!allowed.test(value)) fault(label, 'has characters that are not allowed, such as a line break');
    else if (field === 'request_headers' && key === 'host' && !HOST_VALUE.test(value))
      fault(label, 'must be a host, and may have a port');
    return [name, String(value)];
  });
  if (faults.length > 0)
    throw new InvalidRequest(`${field} ${faults.map(({ detail }) => detail).join('; ')}`, { errors: faults });
  return Object.fromEntries(parsed);
}

/** Returns names with hidden values, as the text that existing clients read; empty without names. */
export const showFields = (names: readonly string[]): string =>
  names.length === 0 ? '' : JSON.stringify(Object.fromEntries(names.map((name) => [name, HIDDEN])));

export const hideValues = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, HIDDEN]));

/** Returns the headers of a request, including `Cookie` and `Content-Type`. */
export function toHeaders({ headers, cookies, body }: RequestContent, contentType: string): Record<string, string> {
  const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  const has = (header: string): boolean => Object.keys(headers).some((name) => name.toLowerCase() === header);
  return {
    ...(has('user-agent') ? {} : { 'user-agent': USER_AGENT }),
    ...headers,
    ...(pairs.length > 0 ? { cookie: pairs.join('; ') } : {}),
    ...(body !== '' && contentType !== '' && !has('content-type') ? { 'content-type': contentType } : {}),
  };
}

function toObject(field: FieldName, given: unknown): Record<string, unknown> {
  if (given === null || given === undefined || given === '') return {};
  if (typeof given === 'object' && !Array.isArray(given)) return given as Record<string, unknown>;
  const parsed = typeof given === 'string' && given.length <= MAX_TEXT ? parseText(field, given) : undefined;
  if (parsed) return parsed;
  throw InvalidRequest.forField(`/${field}`, `must be an object, or its JSON of at most ${MAX_TEXT} characters`);
}

function parseText(field: FieldName, text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Cookies may have the format of the `Cookie` header.
  }
  if (field === 'request_headers') return undefined;
  const pairs = text.split(';').map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    return [pair.slice(0, Math.max(equals, 0)).trimStart(), pair.slice(equals + 1).trim()];
  });
  return pairs.every(([name]) => /^\S+$/.test(name)) ? Object.fromEntries(pairs) : undefined;
}
