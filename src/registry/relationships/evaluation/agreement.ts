import { isObject, type Json } from '../../../formats/located.js';
import { type Part } from './part.js';
import { type Path, type Place, readable } from './path.js';
import { type ReasonPlace, shownPath } from './rule.js';

/** Values of two components that must agree, and how: `equal`, `equal_as_strings`, `to_contains_from`, `not_null`; all of them. */
export interface Pair {
  left: Path;
  right: Path;
  strategies: readonly string[];
}

export interface Agreed {
  left: Part;
  right: Part;
  place: () => ReasonPlace;
}

const STRATEGIES = new Set(['equal', 'equal_as_strings', 'to_contains_from', 'not_null']);
const MOST_COMPARED = 1_000_000;

/** What two sides must have in common to belong together. */
export class Agreement {
  private readonly hashed: Pair | undefined;

  constructor(private readonly pairs: readonly Pair[]) {
    this.hashed = pairs.find(({ strategies }) => strategies.some((each) => each.startsWith('equal')));
  }

  /** A strategy that nobody knows. */
  get unknown(): string | undefined {
    return this.pairs.flatMap(({ strategies }) => strategies).find((strategy) => !STRATEGIES.has(strategy));
  }

  /** Those of both sides that agree. Without an equality there is no index, and sides that are too large are not compared. */
  *join(lefts: readonly Part[], rights: readonly Part[]): Generator<Agreed> {
    if (this.hashed === undefined && lefts.length * rights.length > MOST_COMPARED) return;
    const index = this.hashed && indexOf(rights, this.hashed);
    for (const left of lefts) {
      for (const right of index === undefined ? rights : this.like(left, index)) {
        if (left === right || !near(left, right)) continue;
        const found = this.pairs.map((pair) => agreeing(left, right, pair));
        const [first] = found;
        if (first === undefined || found.includes(undefined)) continue;
        yield { left, right, place: () => placeOf(first) };
      }
    }
  }

  /** What is missing so that nothing can agree. */
  idle(lefts: readonly Part[], rights: readonly Part[], kinds: [string, string]): string | undefined {
    if (this.hashed === undefined && lefts.length * rights.length > MOST_COMPARED)
      return 'Too many components to compare each with each: add a strategy "equal".';
    for (const { left, right } of this.pairs) {
      if (lefts.length > 0 && lefts.every((part) => part.places(left).length === 0))
        return `No ${kinds[0]} has a value at ${shownPath(left)}.`;
      if (rights.length > 0 && rights.every((part) => part.places(right).length === 0))
        return `No ${kinds[1]} has a value at ${shownPath(right)}.`;
    }
    return undefined;
  }

  private like(left: Part, index: ReadonlyMap<string, Set<Part>>): Iterable<Part> {
    const values = left.places(this.hashed?.left ?? []).map(({ value }) => keyOf(value));
    return new Set(values.flatMap((value) => [...(index.get(value) ?? [])]));
  }
}

function indexOf(parts: readonly Part[], { right }: Pair): Map<string, Set<Part>> {
  const index = new Map<string, Set<Part>>();
  for (const part of parts) {
    for (const { value } of part.places(right)) {
      if (says(value)) index.set(keyOf(value), (index.get(keyOf(value)) ?? new Set()).add(part));
    }
  }
  return index;
}

/** What is in two namespaces does not belong together by a name alone. */
function near(left: Part, right: Part): boolean {
  return left.namespace === '' || right.namespace === '' || left.namespace === right.namespace;
}

function agreeing(left: Part, right: Part, { left: from, right: to, strategies }: Pair): [Place, Place] | undefined {
  for (const one of left.places(from)) {
    if (!says(one.value)) continue;
    const other = right.places(to).find(({ value }) => strategies.every((each) => agree(one.value, value, each)));
    if (other !== undefined) return [one, other];
  }
  return undefined;
}

function agree(left: Json, right: Json, strategy: string): boolean {
  if (strategy === 'not_null') return true;
  if (strategy === 'to_contains_from') return contains(right, left);
  if (strategy === 'equal_as_strings') return keyOf(left) === keyOf(right);
  return strategy === 'equal' && typeof left === typeof right && keyOf(left) === keyOf(right);
}

function contains(whole: Json, part: Json): boolean {
  if (Array.isArray(whole) && Array.isArray(part))
    return part.every((item) => whole.some((each) => contains(each, item)));
  if (!isObject(whole) || !isObject(part)) return keyOf(whole) === keyOf(part);
  return Object.entries(part).every(([key, value]) => Object.hasOwn(whole, key) && contains(whole[key] ?? null, value));
}

/** An empty value agrees with nothing: it says nothing. */
function says(value: Json): boolean {
  return value !== '' && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/** The same text for the same value, in whatever order its members come; plain text is itself. */
export function keyOf(value: Json): string {
  return typeof value === 'string' ? value : canonical(value);
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
}

function placeOf([left, right]: [Place, Place]): ReasonPlace {
  const value = keyOf(left.value);
  const shown = value.length > 80 ? `${value.slice(0, 79)}…` : value;
  const detail = `${readable(left.pointer)} and ${readable(right.pointer)} are both ${shown}`;
  return { from: left.pointer, to: right.pointer, detail };
}
