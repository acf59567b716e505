import type { StepBudget } from '../schema/step-budget.js';
import { areEqual, compare } from './equality.js';
import { CelUnsupported } from './tokens.js';
import {
  CelDuration,
  CelError,
  type CelList,
  CelTimestamp,
  CelUint,
  type CelValue,
  isList,
  isMap,
  noOverload,
  PlainList,
} from './values.js';

const INT_RANGE = { least: -(1n << 63n), most: (1n << 63n) - 1n };
const MAX_UINT = (1n << 64n) - 1n;
/** The maximum characters of a concatenated string: repeated doubling grows exponentially. */
const MAX_TEXT_LENGTH = 5_000_000;

export function checkedInt(value: bigint): bigint {
  if (value < INT_RANGE.least || value > INT_RANGE.most) throw new CelError('integer overflow');
  return value;
}

export function checkedUint(value: bigint): CelUint {
  if (value < 0n || value > MAX_UINT) throw new CelError('unsigned integer overflow');
  return new CelUint(value);
}

export function applyUnary(operator: string, value: CelValue): CelValue {
  if (operator === '!' && typeof value === 'boolean') return !value;
  if (operator === '-' && typeof value === 'bigint') return checkedInt(-value);
  if (operator === '-' && typeof value === 'number') return -value;
  throw noOverload(`${operator}_`, value);
}

/** @throws CelError when the operator has no overload for these types */
export function applyBinary(operator: string, left: CelValue, right: CelValue, budget: StepBudget): CelValue {
  switch (operator) {
    case '<':
      return compare(left, right) < 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>':
      return compare(left, right) > 0;
    case '>=':
      return compare(left, right) >= 0;
    case 'in':
      return isIn(left, right, budget);
    case '+':
      return add(left, right, budget);
    case '-':
      return subtract(left, right);
    default:
      return arithmetic(operator, left, right);
  }
}

function isIn(value: CelValue, collection: CelValue, budget: StepBudget): boolean {
  if (isList(collection)) return collection.items.some((item) => areEqual(item, value, budget));
  if (isMap(collection)) return collection.get(value) !== undefined;
  throw noOverload('_in_', value, collection);
}

function add(left: CelValue, right: CelValue, budget: StepBudget): CelValue {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length + right.length > MAX_TEXT_LENGTH) throw new CelUnsupported('its text grows too long');
    budget.spend((left.length + right.length) >> 6);
    return left + right;
  }
  if (isList(left) && isList(right)) {
    budget.spend(left.items.length + right.items.length);
    return concatenateLists(left, right);
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    budget.spend((left.length + right.length) >> 6);
    return new Uint8Array(Buffer.concat([left, right]));
  }
  if (left instanceof CelDuration && right instanceof CelDuration) return new CelDuration(left.nanos + right.nanos);
  if (left instanceof CelTimestamp && right instanceof CelDuration) return new CelTimestamp(left.nanos + right.nanos);
  if (left instanceof CelDuration && right instanceof CelTimestamp) return new CelTimestamp(left.nanos + right.nanos);
  return arithmetic('+', left, right);
}

/** Concatenates lists as Kubernetes does: lists of type set are united; in lists of type map, a later item replaces the earlier one with its keys. */
function concatenateLists(left: CelList, right: CelList): CelList {
  const { keyOf } = left;
  if (!keyOf) return new PlainList([...left.items, ...right.items]);
  const byKey = new Map(left.items.map((item) => [keyOf(item), item]));
  for (const item of right.items) byKey.set(keyOf(item), item);
  return new PlainList([...byKey.values()], keyOf);
}

function subtract(left: CelValue, right: CelValue): CelValue {
  if (left instanceof CelDuration && right instanceof CelDuration) return new CelDuration(left.nanos - right.nanos);
  if (left instanceof CelTimestamp && right instanceof CelDuration) return new CelTimestamp(left.nanos - right.nanos);
  if (left instanceof CelTimestamp && right instanceof CelTimestamp) return new CelDuration(left.nanos - right.nanos);
  return arithmetic('-', left, right);
}

function arithmetic(operator: string, left: CelValue, right: CelValue): CelValue {
  if (typeof left === 'bigint' && typeof right === 'bigint')
    return checkedInt(integerArithmetic(operator, left, right));
  if (left instanceof CelUint && right instanceof CelUint)
    return checkedUint(integerArithmetic(operator, left.value, right.value));
  if (typeof left === 'number' && typeof right === 'number') {
    if (operator === '+') return left + right;
    if (operator === '-') return left - right;
    if (operator === '*') return left * right;
    if (operator === '/') return left / right;
  }
  throw noOverload(`_${operator}_`, left, right);
}

function integerArithmetic(operator: string, left: bigint, right: bigint): bigint {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  if (right === 0n) throw new CelError(operator === '/' ? 'division by zero' : 'modulus by zero');
  return operator === '/' ? left / right : left % right;
}
