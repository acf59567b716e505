import { areEqual, compare } from './equality.js';
import { applyBinary } from './operators.js';
import type { CelFunction, CelFunctions, CelRun } from './run.js';
import { CelUnsupported } from './tokens.js';
import { CelError, type CelList, CelOptional, type CelValue, isList, PlainList } from './values.js';

const MAX_RANGE = 10_000n;

/** A method of lists; its other arguments have any type. */
function listMethod(work: (list: CelList, run: CelRun, ...others: CelValue[]) => CelValue | undefined): CelFunction {
  return ([list, ...others], run) => {
    if (list === undefined || !isList(list)) return undefined;
    run.budget.spend(list.items.length);
    return work(list, run, ...others);
  };
}

/** A method of lists with one list as argument. */
function listPairMethod(work: (left: CelList, right: CelList, run: CelRun) => CelValue): CelFunction {
  return listMethod((left, run, right) => (right !== undefined && isList(right) ? work(left, right, run) : undefined));
}

const holds = (list: CelList, value: CelValue, run: CelRun): boolean =>
  list.items.some((item) => areEqual(item, value, run.budget));

export const LIST_FUNCTIONS: CelFunctions = {
  'sets.contains': listPairMethod((left, right, run) => right.items.every((item) => holds(left, item, run))),
  'sets.intersects': listPairMethod((left, right, run) => right.items.some((item) => holds(left, item, run))),
  'sets.equivalent': listPairMethod(
    (left, right, run) =>
      right.items.every((item) => holds(left, item, run)) && left.items.every((item) => holds(right, item, run)),
  ),
  'lists.range': ([size], run) => {
    if (typeof size !== 'bigint') return undefined;
    if (size > MAX_RANGE) throw new CelUnsupported('its range is too long');
    run.budget.spend(Number(size));
    return new PlainList(Array.from({ length: Math.max(Number(size), 0) }, (_, index) => BigInt(index)));
  },
};

export const LIST_METHODS: CelFunctions = {
  isSorted: listMethod(({ items }) =>
    items.every((item, index) => index === 0 || compare(items[index - 1] ?? null, item) <= 0),
  ),
  sum: listMethod(({ items }, run) =>
    items.slice(1).reduce((sum, item) => applyBinary('+', sum, item, run.budget), items[0] ?? 0n),
  ),
  min: listMethod(({ items }) => extreme(items, -1, 'min')),
  max: listMethod(({ items }) => extreme(items, 1, 'max')),
  indexOf: listMethod(({ items }, run, value = null) =>
    BigInt(items.findIndex((item) => areEqual(item, value, run.budget))),
  ),
  lastIndexOf: listMethod(({ items }, run, value = null) =>
    BigInt(items.findLastIndex((item) => areEqual(item, value, run.budget))),
  ),
  slice: listMethod(({ items }, _, from, to) => {
    if (typeof from !== 'bigint' || typeof to !== 'bigint') return undefined;
    if (from < 0n || to > items.length || from > to)
      throw new CelError(`cannot slice(${from}, ${to})`, 'slice is out of bounds');
    return new PlainList(items.slice(Number(from), Number(to)));
  }),
  reverse: listMethod(({ items }) => new PlainList(items.toReversed())),
  first: listMethod(({ items }) => (items.length > 0 ? new CelOptional(items[0]) : CelOptional.none)),
  last: listMethod(({ items }) => (items.length > 0 ? new CelOptional(items.at(-1)) : CelOptional.none)),
  sort: listMethod(({ items }, run) => {
    run.budget.spend(items.length * 10);
    return new PlainList(items.toSorted(compare));
  }),
  distinct: listMethod(({ items }, run) => {
    const kept: CelValue[] = [];
    for (const item of items) if (!kept.some((known) => areEqual(known, item, run.budget))) kept.push(item);
    return new PlainList(kept);
  }),
  flatten: listMethod(({ items }, run, depth = 1n) =>
    typeof depth === 'bigint' ? new PlainList(flatten(items, Number(depth), run)) : undefined,
  ),
};

function extreme(items: readonly CelValue[], sign: 1 | -1, name: string): CelValue {
  const [first, ...others] = items;
  if (first === undefined) throw new CelError(`${name} called on empty list`);
  return others.reduce((most, item) => (compare(item, most) * sign > 0 ? item : most), first);
}

function flatten(items: readonly CelValue[], depth: number, run: CelRun): CelValue[] {
  run.budget.spend(items.length);
  return items.flatMap((item) => (isList(item) && depth > 0 ? flatten(item.items, depth - 1, run) : [item]));
}
