import { toPointer } from './json-pointer.js';
import { type Json, type JsonObject } from './json.js';

/** No text of a user begins with it: readers of files refuse this character of the private use area at that place. */
export const LARGE_INTEGER_MARK = '\uf8ffinteger:';
const LARGE_INTEGER = /^\uf8ffinteger:(-?\d{16,64})$/;
const WRITTEN = /(?<!\\)"\uf8ffinteger:(-?\d{16,64})"(?!\s*:)/g;
const STRING_OR_NUMBER = /"|-?\d[\d.eE+-]*/g;
const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };
/** The last double below 2^63; the nearest one of larger integers is no int64. */
const MAX_INT64_DOUBLE = 2 ** 63 - 1024;

/**
 * An integer that no double holds, as text that data can hold on its way between threads, the database and clusters: a mark and the digits.
 * Writers of JSON and YAML make plain digits of it. Undefined for other text, and for more than 64 digits.
 */
export function toLargeInteger(digits: string): string | undefined {
  return /^-?\d{16,64}$/.test(digits) ? LARGE_INTEGER_MARK + digits : undefined;
}

/** The digits of a large integer; undefined for any other value. */
export function largeIntegerDigits(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith(LARGE_INTEGER_MARK) ? LARGE_INTEGER.exec(value)?.[1] : undefined;
}

/** Whether the digits are of an integer of 64 bits. */
export function isInt64(digits: string): boolean {
  const value = BigInt(digits);
  return value >= INT64.least && value <= INT64.most;
}

/** As JSON.parse, but that integers which no double holds keep their digits. */
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

/** Where a string of JSON ends that begins before `from`, behind its closing quote. */
function findEndOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** As JSON.stringify, with large integers as plain digits. */
export function stringifyExact(value: unknown, space?: number): string {
  const text = JSON.stringify(value, null, space);
  return text.includes(LARGE_INTEGER_MARK) ? text.replace(WRITTEN, '$1') : text;
}

/** The value with something else in the place of each large integer; the same value when it has none. */
export function mapLargeIntegers<T>(value: Json, map: (digits: string) => T): Json | T {
  return hasLargeInteger(value) ? replaceLargeIntegers(value, map) : value;
}

/** The large integers in a value, with their JSON Pointers. */
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

/** Data with a double near it in the place of each large integer, which is of 64 bits when the integer is; for judges that compute with numbers. */
export function roundLargeIntegers(value: JsonObject): JsonObject {
  return mapLargeIntegers(value, (digits) =>
    isInt64(digits) ? Math.min(Number(digits), MAX_INT64_DOUBLE) : Number(digits),
  ) as JsonObject;
}

/** Data as it is shown, large integers by their digits as text. */
export function showLargeIntegers(value: Json): Json {
  return mapLargeIntegers(value, (digits) => digits);
}
