import type { StepBudget } from '../schema/step-budget.js';
import {
  CelDuration,
  type CelList,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelType,
  type CelValue,
  isList,
  isMap,
  noOverload,
  numberOf,
} from './values.js';

/** CEL equality: numbers compare across int, uint and double; values of other different types are unequal. */
export function areEqual(left: CelValue, right: CelValue, budget: StepBudget): boolean {
  budget.spend(1);
  if (left === right) return true;
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return a >= b && a <= b; // `===` is false for an int and a double of equal value
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (left instanceof CelDuration) return right instanceof CelDuration && left.nanos === right.nanos;
  if (left instanceof CelTimestamp) return right instanceof CelTimestamp && left.nanos === right.nanos;
  if (left instanceof CelType) return right instanceof CelType && left.name === right.name;
  if (left instanceof CelOpaque) return right instanceof CelOpaque && areSame(left, right);
  if (left instanceof CelOptional) {
    if (!(right instanceof CelOptional)) return false;
    if (left.value === undefined || right.value === undefined) return left.value === right.value;
    return areEqual(left.value, right.value, budget);
  }
  if (left instanceof Uint8Array)
    return right instanceof Uint8Array && Buffer.compare(Buffer.from(left), Buffer.from(right)) === 0;
  if (isList(left)) return isList(right) && areEqualLists(left, right, budget);
  if (!isMap(left) || !isMap(right) || left.size !== right.size) return false;
  return left.keys().every((key) => {
    const [mine, other] = [left.get(key), right.get(key)];
    return mine === undefined ? other === undefined : other !== undefined && areEqual(mine, other, budget);
  });
}

/** Negative, zero or positive, as for Array.sort. @throws CelError when the types have no order */
export function compare(left: CelValue, right: CelValue): number {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) {
    if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  const moments =
    (left instanceof CelDuration && right instanceof CelDuration) ||
    (left instanceof CelTimestamp && right instanceof CelTimestamp);
  if (!moments) throw noOverload('_<_', left, right);
  return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0;
}

/** Compares by UTF-8 bytes, whose order differs from that of UTF-16 code units. */
function compareText(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function areEqualLists(left: CelList, right: CelList, budget: StepBudget): boolean {
  if (left.items.length !== right.items.length) return false;
  const { keyOf } = left;
  budget.spend(left.items.length);
  if (!keyOf) return left.items.every((item, index) => areEqual(item, right.items[index] ?? null, budget));
  const known = new Map(left.items.map((item) => [keyOf(item), item]));
  return right.items.every((item) => {
    const mine = known.get(keyOf(item));
    return mine !== undefined && areEqual(mine, item, budget);
  });
}

function areSame(left: CelOpaque, right: CelOpaque): boolean {
  if (left.type !== right.type) return false;
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
  return text(left.content) === text(right.content);
}
