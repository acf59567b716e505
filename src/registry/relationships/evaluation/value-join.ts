import { canonicalJson } from '../../../core/json/canonical-json.js';
import { isObject, type Json } from '../../../core/json/json.js';
import { type IndexedComponent } from './indexed-component.js';
import { type ComponentPath, formatPointer, parsePath, type PathPlace, WILDCARD } from './component-path.js';
import { type RelationshipReason, formatPath, PAUSE_STEPS } from './evaluation-rule.js';

/** Values of two components that must match, and the strategies: `equal`, `equal_as_strings`, `to_contains_from`, `not_null`; all of them. */
interface PathPair {
  left: ComponentPath;
  right: ComponentPath;
  /** The lists that the wildcards of both paths go through. */
  lists: { left: readonly string[]; right: readonly string[] };
  strategies: readonly string[];
}

export interface JoinedComponents {
  left: IndexedComponent;
  right: IndexedComponent;
  /** Whether an item of a list states the namespace of a component, as a subject of a RoleBinding does. */
  statesNamespace: boolean;
  place: () => RelationshipReason;
}

/** A place with a text that is equal for equal values, and for places without one. */
interface KeyedPlace extends PathPlace {
  key: string;
}

/** The places that make a pair of paths match, both with a value or both without one. */
interface MatchedPair {
  pair: PathPair;
  left: KeyedPlace;
  right: KeyedPlace;
}

/** What is compared for two components. */
interface ComparisonWork {
  remaining: number;
  /** The items and members that were compared. */
  items: number;
}

/** The item of each list that a wildcard stands for, by the path to the list. */
type ChosenItems = ReadonlyMap<string, string>;

const STRATEGIES = new Set(['equal', 'equal_as_strings', 'to_contains_from', 'not_null']);
const MAX_COMPARISONS = 1_000_000;
/** The maximum number of places that are compared for two components, so that lists of lists end too. */
const MAX_PLACES = 10_000;
/** The maximum number of items and members that are compared to find whether values of two components contain each other. */
const MAX_ITEMS = 200_000;
/** The index key of a place without a value, which no value has. */
const ABSENT = '\u0000absent';

/** The values that two sides must share. Wildcards of one side that go through the same list stand for the same item. */
export class ValueJoin {
  /** Pairs of paths that go through no common list are matched on their own. */
  private readonly groups: readonly (readonly PathPair[])[];
  /** Comparisons since others had their turn. */
  private steps = 0;
  private readonly indexed: readonly PathPair[];
  /** Whether each pair of places has to be checked for its namespaces, because an item of a list can state another one. */
  private readonly goesThroughLists: boolean;
  private readonly places = new Map<IndexedComponent, Map<ComponentPath, KeyedPlace[]>>();

  private constructor(private readonly pairs: readonly PathPair[]) {
    this.groups = groupByLists(pairs);
    this.goesThroughLists = pairs.some(hasLists);
    this.indexed = pairs.filter(({ strategies }) => strategies.some((each) => each.startsWith('equal')));
  }

  /**
   * The join that two lists of paths state, pairwise in their order; of lists of different lengths the shorter counts. `matrix` has the
   * strategies of each pair, `equal` by default. Text with the reason when it is invalid.
   */
  static parse(left: Json | undefined, right: Json | undefined, matrix: Json | undefined): ValueJoin | string {
    const [lefts, rights] = [left, right].map((list) => (Array.isArray(list) ? list.map(parsePath) : []));
    const length = Math.min(lefts?.length ?? 0, rights?.length ?? 0);
    if (length === 0) return 'It has no paths to compare.';
    const pairs: PathPair[] = [];
    for (let index = 0; index < length; index += 1) {
      const [from, to] = [lefts?.[index], rights?.[index]];
      if (from === undefined || to === undefined) return 'A path is not one.';
      const strategies = readStrategies(matrix, index);
      const unknown = strategies.find((strategy) => !STRATEGIES.has(strategy));
      if (unknown !== undefined) return `The strategy "${unknown.slice(0, 80)}" is not known.`;
      pairs.push({ left: from, right: to, lists: { left: listsOf(from), right: listsOf(to) }, strategies });
    }
    return new ValueJoin(pairs);
  }

  /**
   * The matching pairs of both sides; undefined after comparisons that found nothing. Without an equality there is no index, and sides that are
   * too large are not compared.
   */
  *join(
    lefts: readonly IndexedComponent[],
    rights: readonly IndexedComponent[],
  ): Generator<JoinedComponents | undefined> {
    if (this.isTooLarge(lefts, rights)) return;
    const indexes = this.indexed.map((pair) => this.indexByValue(rights, pair));
    for (const left of lefts) {
      for (const right of indexes.length === 0 ? rights : this.findCandidates(left, indexes)) {
        for (this.steps += 1; this.steps >= PAUSE_STEPS; this.steps -= PAUSE_STEPS) yield undefined;
        if (left === right || !(this.goesThroughLists || shareNamespace(left, right))) continue;
        const found = this.match(left, right);
        if (found !== undefined) yield { left, right, ...found };
      }
    }
    this.places.clear();
  }

  /** The missing values that make a match impossible. */
  explainNoMatch(
    lefts: readonly IndexedComponent[],
    rights: readonly IndexedComponent[],
    kinds: [string, string],
  ): string | undefined {
    if (this.isTooLarge(lefts, rights)) return 'Too many components to compare each with each: add a strategy "equal".';
    const hasValue = (parts: readonly IndexedComponent[], path: ComponentPath): boolean =>
      parts.some((part) => part.valuesAt(path).length > 0);
    const missing = this.pairs.flatMap(({ left, right }) => {
      const [isLeft, isRight] = [hasValue(lefts, left), hasValue(rights, right)];
      if (isLeft && isRight) return [];
      const note = isLeft
        ? `${kinds[1]} has a value at ${formatPath(right)}`
        : `${kinds[0]} has a value at ${formatPath(left)}`;
      // Places that are absent on both sides agree with each other.
      return [{ note: `No ${note}.`, isDecisive: isLeft || isRight }];
    });
    return (missing.find(({ isDecisive }) => isDecisive) ?? missing[0])?.note;
  }

  private isTooLarge(lefts: readonly IndexedComponent[], rights: readonly IndexedComponent[]): boolean {
    return this.indexed.length === 0 && lefts.length * rights.length > MAX_COMPARISONS;
  }

  private indexByValue(parts: readonly IndexedComponent[], { right }: PathPair): Map<string, IndexedComponent[]> {
    const index = new Map<string, IndexedComponent[]>();
    for (const part of parts) {
      for (const key of keysOf(this.placesOf(part, right))) {
        const known = index.get(key);
        if (known === undefined) index.set(key, [part]);
        else known.push(part);
      }
    }
    return index;
  }

  /** The components that may match by the most selective of the equalities. */
  private findCandidates(
    left: IndexedComponent,
    indexes: readonly ReadonlyMap<string, IndexedComponent[]>[],
  ): Iterable<IndexedComponent> {
    let fewest: IndexedComponent[][] | undefined;
    const count = (lists: IndexedComponent[][]): number => lists.reduce((sum, list) => sum + list.length, 0);
    for (const [position, pair] of this.indexed.entries()) {
      const lists = [...keysOf(this.placesOf(left, pair.left))].flatMap((key) => {
        const list = indexes[position]?.get(key);
        return list === undefined ? [] : [list];
      });
      if (fewest === undefined || count(lists) < count(fewest)) fewest = lists;
    }
    return fewest?.length === 1 ? (fewest[0] ?? []) : new Set(fewest?.flat());
  }

  /** The first of the pairs that agree by a value; undefined when one of them does not agree, or none has a value. */
  private match(
    left: IndexedComponent,
    right: IndexedComponent,
  ): Pick<JoinedComponents, 'statesNamespace' | 'place'> | undefined {
    let shown: MatchedPair | undefined;
    let statesNamespace = false;
    for (const group of this.groups) {
      const work = { remaining: MAX_PLACES, items: 0 };
      const found = this.matchGroup(group, left, right, work);
      this.steps += work.items;
      if (found === undefined) return undefined;
      shown ??= found.find((each) => each.left.value !== undefined);
      statesNamespace ||= found.some((each) => each.left.namespace !== '' || each.right.namespace !== '');
    }
    const reason = shown;
    return reason && { statesNamespace, place: () => describeReason(reason) };
  }

  private matchGroup(
    [pair, ...others]: readonly PathPair[],
    left: IndexedComponent,
    right: IndexedComponent,
    work: ComparisonWork,
    chosen: readonly [ChosenItems, ChosenItems] = [new Map(), new Map()],
  ): MatchedPair[] | undefined {
    if (pair === undefined) return [];
    for (const one of this.placesOf(left, pair.left)) {
      const lefts = chooseItems(chosen[0], pair.lists.left, one);
      if (lefts === undefined) continue;
      for (const other of this.placesOf(right, pair.right)) {
        this.steps += 1;
        work.remaining -= 1;
        if (work.remaining < 0) return undefined;
        if (!satisfiesAll(one, other, pair.strategies, work)) continue;
        if (hasLists(pair) && !shareNamespace(placeIn(one, left), placeIn(other, right))) continue;
        const rights = chooseItems(chosen[1], pair.lists.right, other);
        const rest = rights && this.matchGroup(others, left, right, work, [lefts, rights]);
        if (rest !== undefined) return [{ pair, left: one, right: other }, ...rest];
      }
    }
    return undefined;
  }

  /** The places of a path in a component that may match: those with a value, and then those without one. An empty value matches nothing. */
  private placesOf(part: IndexedComponent, path: ComponentPath): KeyedPlace[] {
    let known = this.places.get(part);
    if (known === undefined) this.places.set(part, (known = new Map<ComponentPath, KeyedPlace[]>()));
    let places = known.get(path);
    if (places === undefined) {
      const all = part
        .findPlaces(path)
        .filter(({ value }) => value === undefined || isSignificant(value))
        .map((place) => ({ ...place, key: place.value === undefined ? ABSENT : canonicalKey(place.value) }));
      const absent = all.filter(({ value }) => value === undefined);
      places = absent.length === 0 ? all : [...all.filter(({ value }) => value !== undefined), ...absent];
      known.set(path, places);
    }
    return places;
  }
}

function readStrategies(matrix: Json | undefined, index: number): string[] {
  const row = Array.isArray(matrix) ? matrix[index] : undefined;
  const strategies = Array.isArray(row) ? row.filter((entry) => typeof entry === 'string') : [];
  return strategies.length === 0 ? ['equal'] : strategies;
}

/** The lists that the wildcards of a path go through. */
function listsOf(path: ComponentPath): string[] {
  return path.flatMap((segment, index) => (segment === WILDCARD ? [JSON.stringify(path.slice(0, index))] : []));
}

/** Pairs that go through a common list, directly or by way of another pair, are one group. */
function groupByLists(pairs: readonly PathPair[]): PathPair[][] {
  let groups: { lists: Set<string>; pairs: PathPair[] }[] = [];
  for (const pair of pairs) {
    const { left, right } = pair.lists;
    const lists = [...left.map((list) => `left ${list}`), ...right.map((list) => `right ${list}`)];
    const joined = groups.filter((group) => lists.some((list) => group.lists.has(list)));
    groups = groups.filter((group) => !joined.includes(group));
    groups.push({
      lists: new Set([...joined.flatMap((group) => [...group.lists]), ...lists]),
      pairs: [...joined.flatMap((group) => group.pairs), pair],
    });
  }
  return groups.map((group) => group.pairs);
}

/** The chosen items with those of a place; undefined where it is of another item. */
function chooseItems(chosen: ChosenItems, lists: readonly string[], { items }: PathPlace): ChosenItems | undefined {
  if (items.length === 0) return chosen;
  const after = new Map(chosen);
  for (const [index, item] of items.entries()) {
    const list = lists[index] ?? '';
    if ((after.get(list) ?? item) !== item) return undefined;
    after.set(list, item);
  }
  return after;
}

function keysOf(places: readonly KeyedPlace[]): Set<string> {
  return new Set(places.map(({ key }) => key));
}

function hasLists({ lists }: PathPair): boolean {
  return lists.left.length > 0 || lists.right.length > 0;
}

/** The namespace of a place: that of its item of a list, or of its component. */
function placeIn({ namespace }: KeyedPlace, part: IndexedComponent): Placed {
  return namespace === '' ? part : { namespace };
}

/** Something in a namespace; empty when it is in none, or names none. */
interface Placed {
  namespace: string;
}

/** Components in two namespaces do not match by a name alone. */
export function shareNamespace(left: Placed, right: Placed): boolean {
  return left.namespace === '' || right.namespace === '' || left.namespace === right.namespace;
}

function satisfiesAll(
  left: KeyedPlace,
  right: KeyedPlace,
  strategies: readonly string[],
  work: ComparisonWork,
): boolean {
  if (left.value === undefined || right.value === undefined)
    return left.value === right.value && !strategies.includes('not_null');
  return strategies.every((strategy) => satisfiesStrategy(left, right, strategy, work));
}

function satisfiesStrategy(left: KeyedPlace, right: KeyedPlace, strategy: string, work: ComparisonWork): boolean {
  if (strategy === 'not_null') return true;
  if (strategy === 'to_contains_from') return contains(right.value ?? null, left.value ?? null, work);
  return left.key === right.key && (strategy === 'equal_as_strings' || typeof left.value === typeof right.value);
}

function contains(whole: Json, part: Json, work: ComparisonWork): boolean {
  work.items += 1;
  if (work.items > MAX_ITEMS) return false;
  if (Array.isArray(whole) && Array.isArray(part)) {
    work.items += whole.length + part.length;
    const keys = new Set(whole.map(canonicalKey));
    // Of long lists only equal items count, for each would be compared with each.
    const isShort = whole.length * part.length <= MAX_PLACES;
    return part.every(
      (item) => keys.has(canonicalKey(item)) || (isShort && whole.some((each) => contains(each, item, work))),
    );
  }
  if (!isObject(whole) || !isObject(part)) return canonicalKey(whole) === canonicalKey(part);
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && contains(whole[key] ?? null, value, work),
  );
}

function isSignificant(value: Json): boolean {
  return value !== '' && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/** Equal text for equal values, regardless of the order of members; plain text is itself. */
export function canonicalKey(value: Json): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

function describeReason({ pair, left, right }: MatchedPair): RelationshipReason {
  const places = `${formatPointer(left.pointer)} and ${formatPointer(right.pointer)}`;
  const shown = left.key.length > 80 ? `${left.key.slice(0, 79)}…` : left.key;
  const isEqual = pair.strategies.some((strategy) => strategy.startsWith('equal'));
  const holds = pair.strategies.includes('to_contains_from')
    ? `${formatPointer(right.pointer)} contains ${formatPointer(left.pointer)}`
    : `${places} both have a value`;
  return { from: left.pointer, to: right.pointer, detail: isEqual ? `${places} are both ${shown}` : holds };
}
