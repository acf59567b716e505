import { toPointer } from './json-pointer.js';
import { type Json, type JsonObject } from './json.js';

/** Marks strings that represent large integers. User text never starts with it: parsers reject this private-use character there. */
export const LARGE_INTEGER_MARK = '\uf8ffinteger:';
const LARGE_INTEGER = /^\uf8ffinteger:(-?\d{16,64})$/;
const WRITTEN = /(?<!\\)"\uf8ffinteger:(-?\d{16,64})"(?!\s*:)/g;
const STRING_OR_NUMBER = /"|-?\d[\d.eE+-]*/g;
const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };
/** The largest double below 2^63; a larger one is not an int64. */
const MAX_INT64_DOUBLE = 2 ** 63 - 1024;

/**
 * Represents an integer that a double cannot hold as a string, a mark and the digits, in data that passes between
 * threads, the database and clusters. Serializers of JSON and YAML write plain digits.
 * @returns undefined for other text, and for more than 64 digits
 */
export function toLargeInteger(digits: string): string | undefined {
  return /^-?\d{16,64}$/.test(digits) ? LARGE_INTEGER_MARK + digits : undefined;
}

/** Returns the digits of a large integer; undefined for other values. */
export function largeIntegerDigits(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith(LARGE_INTEGER_MARK) ? LARGE_INTEGER.exec(value)?.[1] : undefined;
}

/** Reports whether the digits are of a 64-bit signed integer. */
export function isInt64(digits: string): boolean {
  const value = BigInt(digits);
  return value >= INT64.least && value <= INT64.most;
}

/** Like JSON.parse, but preserves the digits of integers that a double cannot hold. */
export function parseExactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  let [exact, copied] = ['', 0];
  const tokens = new RegExp(STRING_OR_NUMBER);
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [found] = token;
    if (found === '"') {
      tokens.lastIndex = findEndOfString(text, tokens.lastIndex);
      continue;
    }
    const kept = found.length >= 16 && String(Number(found)) !== found ? toLargeInteger(found) : undefined;
    if (kept === undefined) continue;
    exact += `${text.slice(copied, token.index)}"${kept}"`;
    copied = tokens.lastIndex;
  }
  return JSON.parse(exact + text.slice(copied));
}

/** Returns the index after the closing quote of a JSON string that starts before `from`. */
function findEndOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Like JSON.stringify, with large integers as plain digits. */
export function stringifyExact(value: unknown, space?: number): string {
  const text = JSON.stringify(value, null, space);
  return text.includes(LARGE_INTEGER_MARK) ? text.replace(WRITTEN, '$1') : text;
}

/** Replaces each large integer in a value; returns the same value when it has none. */
export function mapLargeIntegers<T>(value: Json, map: (digits: string) => T): Json | T {
  return hasLargeInteger(value) ? replaceLargeIntegers(value, map) : value;
}

/** Lists the large integers in a value with their JSON Pointers. */
export function findLargeIntegers(value: Json): [pointer: string, digits: string][] {
  const found: [string, string][] = [];
  const visit = (at: Json, path: readonly string[]): void => {
    const digits = largeIntegerDigits(at);
    if (digits !== undefined) found.push([toPointer(...path), digits]);
    else if (typeof at === 'object' && at !== null)
      for (const [key, member] of Object.entries(at)) visit(member, [...path, key]);
  };
  if (hasLargeInteger(value)) visit(value, []);
  return found;
}

function hasLargeInteger(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return largeIntegerDigits(value) !== undefined;
  return Array.isArray(value) ? value.some(hasLargeInteger) : Object.values(value).some(hasLargeInteger);
}

function replaceLargeIntegers<T>(value: Json, map: (digits: string) => T): Json | T {
  const digits = largeIntegerDigits(value);
  if (digits !== undefined) return map(digits);
  if (typeof value !== 'object' || value === null) return value;
  const replace = (member: Json): Json => replaceLargeIntegers(member, map) as Json;
  if (Array.isArray(value)) return value.map(replace);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replace(member)]));
}

/**
 * Replaces each large integer by the nearest double, for validators that compute with numbers. An int64 stays in the
 * range of int64.
 */
export function roundLargeIntegers(value: JsonObject): JsonObject {
  return mapLargeIntegers(value, (digits) =>
    isInt64(digits) ? Math.min(Number(digits), MAX_INT64_DOUBLE) : Number(digits),
  ) as JsonObject;
}

/** Replaces each large integer by its digits as a string, for display. */
export function showLargeIntegers(value: Json): Json {
  return mapLargeIntegers(value, (digits) => digits);
}
