import type { IncomingMessage } from 'node:http';
import { InvalidRequest } from '../errors/app-error.js';

/** Headers that may occur once: of duplicates, a proxy may have checked one while this server reads the other. */
const SINGLE_HEADERS = new Set([
  ...['authorization', 'content-encoding', 'content-type', 'host', 'idempotency-key', 'last-event-id'],
]);

/** The name of a header that must be given once and is there twice; undefined when there is none. */
export function findRepeatedHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  // Node has one member for all lines of a name.
  if (rawHeaders.length === 2 * Object.keys(headers).length) return undefined;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (seen.has(name) && SINGLE_HEADERS.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

export const repeatedHeader = (name: string): InvalidRequest =>
  InvalidRequest.forField(name, 'must be given once', `Send one header ${name}.`);
