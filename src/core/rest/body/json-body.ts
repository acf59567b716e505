import { createHash } from 'node:crypto';
import { InvalidRequest } from '../../errors/app-error.js';
import { tooLarge } from '../../errors/problem.js';
import { DEEPEST } from '../../schema/sound.js';

/** Values of one body, each element of a list and each member of an object being one. */
const MOST_VALUES = 1_000_000;

/** Bytes of a body up to which it is parsed on the main thread, which takes a few milliseconds; more goes to a worker. */
export const INLINE_MAX_BYTES = 100 * 1024;

/**
 * Parses what must be JSON, and checks its shape before anything walks it: nesting and number of values.
 * @param what the subject of the errors
 * @throws InvalidRequest MALFORMED_JSON, AppError 413
 */
export function parseBody(bytes: Uint8Array, what = 'the body'): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // The parser's own message quotes the body, which may hold a secret.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const detail = error instanceof SyntaxError ? 'is not valid JSON' : 'is not UTF-8 text';
    throw malformed(what, position ? `${detail} at position ${position}` : detail);
  }
  checkShape(value, 0, { what, left: MOST_VALUES });
  return value;
}

/** The digest of a value, in which the order of members does not count. */
export function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(value)))
    .digest('base64url');
}

function checkShape(value: unknown, depth: number, budget: { readonly what: string; left: number }): void {
  budget.left -= 1;
  if (budget.left < 0) throw tooLarge(`${budget.what} holds more than ${MOST_VALUES} values`);
  if (typeof value !== 'object' || value === null) return;
  if (depth > DEEPEST) throw tooDeep(budget.what);
  for (const member of Array.isArray(value) ? value : Object.values(value)) checkShape(member, depth + 1, budget);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // A list of pairs, since an object would order names that are numbers before all others.
  return { members: members.map(([key, member]) => [key, ordered(member)]) };
}

function tooDeep(what: string): InvalidRequest {
  const detail = `is nested deeper than ${DEEPEST} levels`;
  return new InvalidRequest(`${what} ${detail}`, { errors: [{ pointer: '', detail }] });
}

function malformed(what: string, detail: string): InvalidRequest {
  return new InvalidRequest(`${what} ${detail}`, {
    code: 'MALFORMED_JSON',
    errors: [{ pointer: '', detail }],
    remedy: 'Send a JSON object, and the header "Content-Type: application/json".',
  });
}
