import type { IncomingMessage } from 'node:http';
import { InvalidRequest } from '../errors/app-error.js';

/** Headers that may occur once: with duplicates, a proxy could have checked one while this server reads the other. */
const SINGLE_HEADERS = new Set([
  ...['authorization', 'content-encoding', 'content-type', 'host', 'idempotency-key', 'last-event-id'],
]);

/** Returns the name of a duplicate header that must be unique; undefined when there is none. */
export function findRepeatedHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  // Node.js merges all lines of a name into one property.
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
