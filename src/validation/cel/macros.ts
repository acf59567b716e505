import { compare } from './equality.js';
import type { CelRun, CelScope } from './run.js';
import { CelUnsupported } from './tokens.js';
import type { CelExpression } from './parser.js';
import { CelError, CelOptional, type CelValue, isList, isMap, noOverload, PlainList, PlainMap } from './values.js';

type Call = CelExpression & { kind: 'call' };

/** The variables that a macro binds for an item: the value, or the index or key with the value. */
type Item = [CelValue] | [CelValue, CelValue];

/** Evaluates a call of a macro of CEL or Kubernetes; undefined for other calls. */
export function runMacro(call: Call, scope: CelScope | undefined, run: CelRun): CelValue | undefined {
  const { target, name, args } = call;
  if (!target) return name === 'has' && args.length === 1 ? has(args[0], scope, run) : undefined;
  const macro = Object.hasOwn(MACROS, name) ? MACROS[name] : undefined;
  return macro?.counts.includes(args.length) ? macro.run(call, scope, run) : undefined;
}

interface Macro {
  /** The accepted numbers of arguments. */
  counts: number[];
  run: (call: Call, scope: CelScope | undefined, run: CelRun) => CelValue;
}

const existsOne: Macro = {
  counts: [2, 3],
  run: (call, scope, run) => {
    let found = 0;
    for (const item of itemsOf(call, scope, run, call.args.length === 3)) if (test(call, -1, item, scope, run)) found++;
    return found === 1;
  },
};

const MACROS: Record<string, Macro> = {
  all: { counts: [2, 3], run: (call, scope, run) => !quantify(call, false, scope, run) },
  exists: { counts: [2, 3], run: (call, scope, run) => quantify(call, true, scope, run) },
  exists_one: existsOne,
  existsOne,
  filter: {
    counts: [2],
    run: (call, scope, run) =>
      new PlainList(
        [...itemsOf(call, scope, run, false)].filter((item) => test(call, 1, item, scope, run)).map(([value]) => value),
      ),
  },
  map: { counts: [2, 3], run: (call, scope, run) => transformed(call, scope, run, 1) },
  transformList: { counts: [3, 4], run: (call, scope, run) => transformed(call, scope, run, 2) },
  transformMap: {
    counts: [3, 4],
    run: (call, scope, run) => {
      const map = new PlainMap();
      for (const item of itemsOf(call, scope, run, true)) {
        if (call.args.length === 4 && !test(call, 2, item, scope, run)) continue;
        map.set(item[0], step(call, -1, item, scope, run));
      }
      return map;
    },
  },
  transformMapEntry: {
    counts: [3, 4],
    run: (call, scope, run) => {
      const map = new PlainMap();
      for (const item of itemsOf(call, scope, run, true)) {
        if (call.args.length === 4 && !test(call, 2, item, scope, run)) continue;
        const entry = step(call, -1, item, scope, run);
        if (!isMap(entry)) throw noOverload('transformMapEntry', entry);
        for (const key of entry.keys()) map.set(key, entry.get(key) ?? null);
      }
      return map;
    },
  },
  sortBy: {
    counts: [2],
    run: (call, scope, run) => {
      const keyed = [...itemsOf(call, scope, run, false)].map(
        (item) => [item[0], step(call, 1, item, scope, run)] as const,
      );
      return new PlainList(keyed.sort(([, a], [, b]) => compare(a, b)).map(([item]) => item));
    },
  },
  optMap: { counts: [2], run: (call, scope, run) => optional(call, scope, run, false) },
  optFlatMap: { counts: [2], run: (call, scope, run) => optional(call, scope, run, true) },
};

function has(argument: CelExpression | undefined, scope: CelScope | undefined, run: CelRun): boolean {
  if (argument?.kind !== 'select') throw new CelUnsupported('has() asks for a field');
  const target = run.evaluate(argument.target, scope);
  const value = target instanceof CelOptional ? target.value : target;
  if (target instanceof CelOptional && value === undefined) return false;
  if (value === undefined || !isMap(value)) throw noOverload('has', target);
  return value.get(argument.field) !== undefined;
}

/** Whether the predicate has the value `deciding` for any item; if so, errors of other items are ignored. */
function quantify(call: Call, deciding: boolean, scope: CelScope | undefined, run: CelRun): boolean {
  let failure: CelError | undefined;
  for (const item of itemsOf(call, scope, run, call.args.length === 3)) {
    try {
      if (test(call, -1, item, scope, run) === deciding) return true;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return false;
}

function transformed(call: Call, scope: CelScope | undefined, run: CelRun, variables: 1 | 2): CelValue {
  const filters = call.args.length === variables + 2;
  const values: CelValue[] = [];
  for (const item of itemsOf(call, scope, run, variables === 2))
    if (!filters || test(call, variables, item, scope, run)) values.push(step(call, -1, item, scope, run));
  return new PlainList(values);
}

function optional(call: Call, scope: CelScope | undefined, run: CelRun, flat: boolean): CelValue {
  const target = call.target && run.evaluate(call.target, scope);
  if (!(target instanceof CelOptional)) throw noOverload(call.name, target ?? null);
  if (target.value === undefined) return target;
  const value = step(call, 1, [target.value], scope, run);
  return flat ? value : new CelOptional(value);
}

/** The items of a list or the keys of a map; with two variables, pairs of index and item or of key and value. */
function* itemsOf(call: Call, scope: CelScope | undefined, run: CelRun, two: boolean): Generator<Item> {
  const range = call.target ? run.evaluate(call.target, scope) : null;
  if (isList(range)) for (const [index, item] of range.items.entries()) yield two ? [BigInt(index), item] : [item];
  else if (isMap(range)) for (const key of range.keys()) yield two ? [key, range.get(key) ?? null] : [key];
  else throw noOverload(call.name, range);
}

function step(call: Call, argument: number, item: Item, scope: CelScope | undefined, run: CelRun): CelValue {
  const body = call.args.at(argument);
  if (!body) throw new CelUnsupported('an argument is missing');
  const names = call.args.slice(0, item.length).map(nameOf);
  return run.evaluate(body, within(scope, names, item));
}

function test(call: Call, argument: number, item: Item, scope: CelScope | undefined, run: CelRun): boolean {
  const value = step(call, argument, item, scope, run);
  if (typeof value !== 'boolean') throw noOverload(call.name, value);
  return value;
}

function nameOf(expression: CelExpression | undefined): string {
  if (expression?.kind !== 'name') throw new CelUnsupported('a variable has no name');
  return expression.name;
}

function within(scope: CelScope | undefined, names: string[], values: CelValue[]): CelScope | undefined {
  return names.reduce<CelScope | undefined>(
    (outer, name, index) => ({ name, value: values[index] ?? null, outer }),
    scope,
  );
}
