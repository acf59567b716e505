import { parseGoDuration } from '../../core/durations.js';
import { parseTimestamp, timestampText } from '../values/timestamp.js';
import { checkedInt, checkedUint } from './operators.js';
import type { CelFunctions } from './run.js';
import {
  CelDuration,
  CelError,
  CelOpaque,
  CelTimestamp,
  CelType,
  CelUint,
  type CelValue,
  isList,
  isMap,
  typeName,
} from './values.js';
import { networkText } from './network-functions.js';

/** Type conversions, and `size`. */
export const CONVERSION_FUNCTIONS: CelFunctions = {
  size: ([value]) => {
    if (value === undefined) return undefined;
    if (typeof value === 'string') return BigInt(codePoints(value).length);
    if (value instanceof Uint8Array) return BigInt(value.length);
    if (isList(value)) return BigInt(value.items.length);
    return isMap(value) ? BigInt(value.size) : undefined;
  },
  type: ([value = null]) => new CelType(typeName(value)),
  dyn: ([value]) => value,
  int: ([value]) => {
    if (typeof value === 'bigint') return value;
    if (value instanceof CelUint) return checkedInt(value.value);
    if (value instanceof CelTimestamp) return value.nanos / 1_000_000_000n;
    if (typeof value === 'number') return checkedInt(fromDouble(value));
    if (typeof value !== 'string') return undefined;
    if (!/^[+-]?\d{1,40}$/.test(value)) throw new CelError(`type conversion error from 'string' to 'int'`);
    return checkedInt(BigInt(value.replace(/^\+/, '')));
  },
  uint: ([value]) => {
    if (value instanceof CelUint) return value;
    if (typeof value === 'bigint') return checkedUint(value);
    if (typeof value === 'number') return checkedUint(fromDouble(value));
    if (typeof value !== 'string') return undefined;
    if (!/^\d{1,40}$/.test(value)) throw new CelError(`type conversion error from 'string' to 'uint'`);
    return checkedUint(BigInt(value));
  },
  double: ([value]) => {
    if (typeof value === 'number') return value;
    if (typeof value === 'bigint') return Number(value);
    if (value instanceof CelUint) return Number(value.value);
    if (typeof value !== 'string') return undefined;
    const number = Number(value);
    if (value.trim() === '' || (Number.isNaN(number) && value !== 'NaN'))
      throw new CelError(`type conversion error from 'string' to 'double'`);
    return number;
  },
  bool: ([value]) => {
    if (typeof value === 'boolean') return value;
    if (typeof value !== 'string') return undefined;
    if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
    if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return false;
    throw new CelError(`type conversion error from 'string' to 'bool'`);
  },
  string: ([value = null]) => celToText(value),
  bytes: ([value]) =>
    typeof value === 'string' ? new TextEncoder().encode(value) : value instanceof Uint8Array ? value : undefined,
  duration: ([value]) => {
    if (value instanceof CelDuration) return value;
    if (typeof value !== 'string') return undefined;
    const nanos = parseGoDuration(value);
    if (nanos === undefined) throw new CelError(`type conversion error from 'string' to 'duration'`);
    return new CelDuration(nanos);
  },
  timestamp: ([value]) => {
    if (value instanceof CelTimestamp) return value;
    if (typeof value === 'bigint') return new CelTimestamp(value * 1_000_000_000n);
    if (typeof value !== 'string') return undefined;
    const nanos = parseTimestamp(value);
    if (nanos === undefined) throw new CelError(`type conversion error from 'string' to 'timestamp'`);
    return new CelTimestamp(nanos);
  },
};

/** The result of `string()`; undefined for types that it does not convert. */
export function celToText(value: CelValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDuration) return `${Number(value.nanos) / 1e9}s`;
  if (value instanceof CelTimestamp) return timestampText(value.nanos);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return value instanceof CelOpaque ? networkText(value) : undefined;
}

export function codePoints(text: string): string[] {
  return Array.from(text);
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
}

function fromDouble(value: number): bigint {
  if (!Number.isFinite(value)) throw new CelError('integer overflow');
  return BigInt(Math.trunc(value));
}
