import { isObject, type Json } from '../../../core/json/json.js';
import { type IndexedComponent } from './indexed-component.js';
import { type ComponentPath, type LocatedValue, formatPointer } from './component-path.js';
import { type RelationshipReason, formatPath } from './evaluation-rule.js';

/** Values of two components that must match, and the strategies: `equal`, `equal_as_strings`, `to_contains_from`, `not_null`; all of them. */
export interface PathPair {
  left: ComponentPath;
  right: ComponentPath;
  strategies: readonly string[];
}

export interface JoinedComponents {
  left: IndexedComponent;
  right: IndexedComponent;
  place: () => RelationshipReason;
}

const STRATEGIES = new Set(['equal', 'equal_as_strings', 'to_contains_from', 'not_null']);
const MAX_COMPARISONS = 1_000_000;

/** The values that two sides must share. */
export class ValueJoin {
  private readonly hashed: PathPair | undefined;

  constructor(private readonly pairs: readonly PathPair[]) {
    this.hashed = pairs.find(({ strategies }) => strategies.some((each) => each.startsWith('equal')));
  }

  /** An unknown strategy. */
  get unknownStrategy(): string | undefined {
    return this.pairs.flatMap(({ strategies }) => strategies).find((strategy) => !STRATEGIES.has(strategy));
  }

  /** The matching pairs of both sides. Without an equality there is no index, and sides that are too large are not compared. */
  *join(lefts: readonly IndexedComponent[], rights: readonly IndexedComponent[]): Generator<JoinedComponents> {
    if (this.hashed === undefined && lefts.length * rights.length > MAX_COMPARISONS) return;
    const index = this.hashed && indexByValue(rights, this.hashed);
    for (const left of lefts) {
      for (const right of index === undefined ? rights : this.findCandidates(left, index)) {
        if (left === right || !shareNamespace(left, right)) continue;
        const found = this.pairs.map((pair) => findEqualValues(left, right, pair));
        const [first] = found;
        if (first === undefined || found.includes(undefined)) continue;
        yield { left, right, place: () => describeReason(first) };
      }
    }
  }

  /** The missing values that make a match impossible. */
  explainNoMatch(
    lefts: readonly IndexedComponent[],
    rights: readonly IndexedComponent[],
    kinds: [string, string],
  ): string | undefined {
    if (this.hashed === undefined && lefts.length * rights.length > MAX_COMPARISONS)
      return 'Too many components to compare each with each: add a strategy "equal".';
    for (const { left, right } of this.pairs) {
      if (lefts.length > 0 && lefts.every((part) => part.valuesAt(left).length === 0))
        return `No ${kinds[0]} has a value at ${formatPath(left)}.`;
      if (rights.length > 0 && rights.every((part) => part.valuesAt(right).length === 0))
        return `No ${kinds[1]} has a value at ${formatPath(right)}.`;
    }
    return undefined;
  }

  private findCandidates(
    left: IndexedComponent,
    index: ReadonlyMap<string, Set<IndexedComponent>>,
  ): Iterable<IndexedComponent> {
    const values = left.valuesAt(this.hashed?.left ?? []).map(({ value }) => canonicalKey(value));
    return new Set(values.flatMap((value) => [...(index.get(value) ?? [])]));
  }
}

function indexByValue(parts: readonly IndexedComponent[], { right }: PathPair): Map<string, Set<IndexedComponent>> {
  const index = new Map<string, Set<IndexedComponent>>();
  for (const part of parts) {
    for (const { value } of part.valuesAt(right)) {
      if (isSignificant(value)) index.set(canonicalKey(value), (index.get(canonicalKey(value)) ?? new Set()).add(part));
    }
  }
  return index;
}

/** Components in two namespaces do not match by a name alone. */
function shareNamespace(left: IndexedComponent, right: IndexedComponent): boolean {
  return left.namespace === '' || right.namespace === '' || left.namespace === right.namespace;
}

function findEqualValues(
  left: IndexedComponent,
  right: IndexedComponent,
  { left: from, right: to, strategies }: PathPair,
): [LocatedValue, LocatedValue] | undefined {
  for (const one of left.valuesAt(from)) {
    if (!isSignificant(one.value)) continue;
    const other = right
      .valuesAt(to)
      .find(({ value }) => strategies.every((each) => satisfiesStrategy(one.value, value, each)));
    if (other !== undefined) return [one, other];
  }
  return undefined;
}

function satisfiesStrategy(left: Json, right: Json, strategy: string): boolean {
  if (strategy === 'not_null') return true;
  if (strategy === 'to_contains_from') return contains(right, left);
  if (strategy === 'equal_as_strings') return canonicalKey(left) === canonicalKey(right);
  return strategy === 'equal' && typeof left === typeof right && canonicalKey(left) === canonicalKey(right);
}

function contains(whole: Json, part: Json): boolean {
  if (Array.isArray(whole) && Array.isArray(part))
    return part.every((item) => whole.some((each) => contains(each, item)));
  if (!isObject(whole) || !isObject(part)) return canonicalKey(whole) === canonicalKey(part);
  return Object.entries(part).every(([key, value]) => Object.hasOwn(whole, key) && contains(whole[key] ?? null, value));
}

/** An empty value matches nothing. */
function isSignificant(value: Json): boolean {
  return value !== '' && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/** Equal text for equal values, regardless of the order of members; plain text is itself. */
export function canonicalKey(value: Json): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join(',')}}`;
}

function describeReason([left, right]: [LocatedValue, LocatedValue]): RelationshipReason {
  const value = canonicalKey(left.value);
  const shown = value.length > 80 ? `${value.slice(0, 79)}…` : value;
  const detail = `${formatPointer(left.pointer)} and ${formatPointer(right.pointer)} are both ${shown}`;
  return { from: left.pointer, to: right.pointer, detail };
}
