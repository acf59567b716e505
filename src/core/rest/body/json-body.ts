import { createHash } from 'node:crypto';
import { InvalidRequest } from '../../errors/app-error.js';
import { payloadTooLarge } from '../../errors/problem.js';
import { MAX_JSON_DEPTH } from '../../json/storable-json.js';

/** The maximum number of values in a body; each list element and each object member counts. */
const MAX_VALUES = 1_000_000;

/**
 * Parses JSON and limits its nesting and number of values before anything traverses it.
 * @param what the subject of error messages
 * @throws InvalidRequest MALFORMED_JSON
 * @throws AppError 413
 */
export function parseJsonBody(bytes: Uint8Array, what = 'the body'): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // The parser's message quotes the body, which may contain a secret.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const detail = error instanceof SyntaxError ? 'is not valid JSON' : 'is not UTF-8 text';
    throw malformedJson(what, position ? `${detail} at position ${position}` : detail);
  }
  assertShape(value, 0, { what, left: MAX_VALUES });
  return value;
}

/** Computes a digest of a value that is independent of the order of members. */
export function hashJson(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sortMembers(value)))
    .digest('base64url');
}

function assertShape(value: unknown, depth: number, budget: { readonly what: string; left: number }): void {
  budget.left -= 1;
  if (budget.left < 0) throw payloadTooLarge(`${budget.what} holds more than ${MAX_VALUES} values`);
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_JSON_DEPTH) throw tooDeepError(budget.what);
  for (const member of Array.isArray(value) ? value : Object.values(value)) assertShape(member, depth + 1, budget);
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // A list of pairs, because objects order integer-like names first.
  return { members: members.map(([key, member]) => [key, sortMembers(member)]) };
}

function tooDeepError(what: string): InvalidRequest {
  const detail = `is nested deeper than ${MAX_JSON_DEPTH} levels`;
  return new InvalidRequest(`${what} ${detail}`, { errors: [{ pointer: '', detail }] });
}

function malformedJson(what: string, detail: string): InvalidRequest {
  return new InvalidRequest(`${what} ${detail}`, {
    code: 'MALFORMED_JSON',
    errors: [{ pointer: '', detail }],
    remedy: 'Send a JSON object, and the header "Content-Type: application/json".',
  });
}
