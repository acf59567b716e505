import { CONVERSION_FUNCTIONS } from './conversions.js';
import { FORMAT_FUNCTIONS, FORMAT_METHODS } from './format-functions.js';
import { LIST_FUNCTIONS, LIST_METHODS } from './list-functions.js';
import { NETWORK_FUNCTIONS, NETWORK_METHODS } from './network-functions.js';
import { QUANTITY_FUNCTIONS, QUANTITY_METHODS } from './quantity-functions.js';
import type { CelFunction, CelFunctions, CelRun } from './run.js';
import { TEXT_FUNCTIONS, TEXT_METHODS } from './text-functions.js';
import { TIME_METHODS } from './time-functions.js';
import { CelUnsupported } from './tokens.js';
import { CelError, CelOptional, type CelValue, isList, isMap, noOverload } from './values.js';

const OPTIONAL_FUNCTIONS: CelFunctions = {
  'optional.of': ([value]) => new CelOptional(value),
  'optional.none': () => CelOptional.none,
  'optional.ofNonZeroValue': ([value]) => (isZero(value) ? CelOptional.none : new CelOptional(value)),
};

const OPTIONAL_METHODS: CelFunctions = {
  hasValue: ([target]) => (target instanceof CelOptional ? target.value !== undefined : undefined),
  value: ([target]) => {
    if (!(target instanceof CelOptional)) return undefined;
    if (target.value === undefined) throw new CelError('optional.none() dereference');
    return target.value;
  },
  orValue: ([target, other]) => (target instanceof CelOptional ? valueOr(target, other) : undefined),
  or: ([target, other]) => (target instanceof CelOptional ? valueOr(target, other, target) : undefined),
};

const ALL_FUNCTIONS = mergeTables(
  CONVERSION_FUNCTIONS,
  OPTIONAL_FUNCTIONS,
  TEXT_FUNCTIONS,
  LIST_FUNCTIONS,
  QUANTITY_FUNCTIONS,
  NETWORK_FUNCTIONS,
  FORMAT_FUNCTIONS,
);
const ALL_METHODS = mergeTables(
  { size: CONVERSION_FUNCTIONS['size'] ?? (() => undefined) },
  OPTIONAL_METHODS,
  TEXT_METHODS,
  LIST_METHODS,
  TIME_METHODS,
  QUANTITY_METHODS,
  NETWORK_METHODS,
  FORMAT_METHODS,
);

export function isFunction(name: string): boolean {
  return ALL_FUNCTIONS.has(name);
}

/** @throws CelUnsupported for functions that are not implemented */
export function callFunction(name: string, args: CelValue[], run: CelRun): CelValue {
  return call(ALL_FUNCTIONS.get(name), name, args, run);
}

/** @throws CelUnsupported for methods that are not implemented */
export function callMethod(name: string, target: CelValue, args: CelValue[], run: CelRun): CelValue {
  return call(ALL_METHODS.get(name), name, [target, ...args], run);
}

function call(overloads: CelFunction[] | undefined, name: string, args: CelValue[], run: CelRun): CelValue {
  if (!overloads) throw new CelUnsupported(`the function ${name} is not known here`);
  for (const overload of overloads) {
    const answer = overload(args, run);
    if (answer !== undefined) return answer;
  }
  throw noOverload(name, ...args);
}

function mergeTables(...tables: CelFunctions[]): Map<string, CelFunction[]> {
  const all = new Map<string, CelFunction[]>();
  for (const table of tables)
    for (const [name, work] of Object.entries(table)) all.set(name, [...(all.get(name) ?? []), work]);
  return all;
}

function valueOr({ value }: CelOptional, other: CelValue | undefined, found = value): CelValue | undefined {
  return value === undefined ? other : found;
}

function isZero(value: CelValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (value === 0n || value === 0) return true;
  if (isList(value)) return value.items.length === 0;
  return isMap(value) && value.size === 0;
}
