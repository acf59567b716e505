import type { Json } from '../../core/json/json.js';

/**
 * The dialect, which determines plain words and duplicate keys. `kubernetes`: those of YAML 1.1, as kubectl reads them (`yes`, `no`, `on`, `off`, `y`, `n`).
 * `core`: only `true` and `false`, as YAML 1.2 and Compose have it. `rendered`: as
 * `kubernetes`, and the last of duplicate keys counts, as Helm reads its output. Numbers are the same in all: `0644`, `0o644`, `0x1A4` and `0b1` are integers, `1_000` is 1000, `1e3` is 1000.
 */
export type YamlDialect = 'kubernetes' | 'core' | 'rendered';

const PLAIN_WORDS = new Map<string, Json>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const YAML11_BOOLEANS = new Map<string, boolean>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);
const DECIMAL = /^[-+]?(?:0|[1-9]\d*)$/;
const OTHER_BASE = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+))$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

/** Thrown for a number that no double holds exactly. */
export class InexactNumber extends Error {
  readonly nearest: number;

  /** @param text an integer in decimal digits, unless it has very many of them, or another number as written */
  constructor(readonly text: string) {
    super(`the number ${text.length > 40 ? `${text.slice(0, 40)}…` : text} has more digits than can be kept`);
    this.nearest = Number(text);
  }
}

/**
 * The value of a plain (unquoted) scalar. Timestamps, `.inf`, `.nan`, base 60 and floats out of range are text, because JSON cannot express them.
 * The rules are those of go-yaml, used by kubectl and Compose. Throws InexactNumber for integers that would lose digits.
 */
export function parsePlainScalar(text: string, dialect: YamlDialect): Json {
  const word = PLAIN_WORDS.get(text) ?? (dialect !== 'core' ? YAML11_BOOLEANS.get(text) : undefined);
  if (word !== undefined || PLAIN_WORDS.has(text)) return word ?? null;
  if (!/^[-+.\d]/.test(text)) return text;
  const digits = text.startsWith('.') ? text : text.replaceAll('_', '');
  return parseIntegerScalar(digits) ?? parseFloatScalar(digits) ?? text;
}

/** No double has more digits, in any base; converting longer numbers takes more than linear time. */
const MAX_DIGITS = 1100;

function parseIntegerScalar(text: string): number | undefined {
  if (text.length > MAX_DIGITS && (DECIMAL.test(text) || OTHER_BASE.test(text))) throw new InexactNumber(text);
  if (DECIMAL.test(text)) return toExactInteger(text);
  const match = OTHER_BASE.exec(text);
  if (!match) return undefined;
  const [, sign, hex, octal, binary] = match;
  const prefixed = hex ? `0x${hex}` : octal ? `0o${octal}` : `0b${binary}`;
  return toExactInteger(`${sign === '-' ? '-' : ''}${BigInt(prefixed)}`);
}

/** A decimal integer as a number with exactly the same digits; others throw InexactNumber. */
export function toExactInteger(text: string): number {
  const value = Number(text);
  const digits = text.replace(/^\+/, '');
  if (!Number.isSafeInteger(value) && String(value) !== digits) throw new InexactNumber(digits);
  return value === 0 ? 0 : value;
}

function parseFloatScalar(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? (value === 0 ? 0 : value) : undefined;
}
