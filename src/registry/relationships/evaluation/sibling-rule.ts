import { createHash } from 'node:crypto';
import { isObject, type Json, asText } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { canonicalKey } from './value-join.js';
import { matchesAny } from './selector-clause.js';
import { type IndexedComponent } from './indexed-component.js';
import { type ComponentPath, type LocatedValue, formatPointer, parsePath } from './component-path.js';
import { type RuleMatch, type EvaluationRule, PAUSE_STEPS, type SelectorSet } from './evaluation-rule.js';
import { type ComponentIndex } from './component-index.js';

const MAX_KEY_LENGTH = 256;

interface SiblingMember {
  part: IndexedComponent;
  place: LocatedValue;
}

/**
 * Finds components with a common value, as one relationship for the whole group: pairs would grow with the square of its members.
 * `match: {strategy: "sameValue", paths}`, or `match.refs` of the Meshery language. Each entry of an object counts separately.
 */
export class SiblingRule implements EvaluationRule {
  private constructor(
    private readonly set: SelectorSet,
    private readonly paths: readonly ComponentPath[],
    private readonly verb: string,
  ) {}

  /** Text with the reason why the paths are invalid. */
  static parse(set: SelectorSet, listed: Json | undefined, verb?: Json): SiblingRule | string {
    const paths = Array.isArray(listed) ? listed.map(parsePath) : [];
    const known = paths.filter((path) => path !== undefined);
    if (known.length === 0 || known.length < paths.length) return 'The places that siblings share are not all paths.';
    return new SiblingRule(set, known, asText(verb) || 'belongs together with');
  }

  *find(scene: ComponentIndex): Generator<RuleMatch | undefined> {
    const groups = new Map<string, SiblingMember[]>();
    let steps = 0;
    for (const part of scene.components) {
      for (steps += 1; steps >= PAUSE_STEPS; steps -= PAUSE_STEPS) yield undefined;
      if (!matchesAny(this.set.from, part) && !matchesAny(this.set.to, part)) continue;
      if (this.set.denies(part, part)) continue;
      for (const path of this.paths) {
        for (const [entry, place] of part.valuesAt(path).flatMap(entriesOf)) {
          steps += 1;
          const key = groupKeyOf([path, entry, canonicalKey(place.value)]);
          const group = groups.get(key);
          if (group === undefined) groups.set(key, [{ part, place }]);
          else if (group.at(-1)?.part !== part) group.push({ part, place });
        }
      }
    }
    for (const members of groups.values()) yield* this.matchGroup(members);
  }

  private *matchGroup(members: readonly SiblingMember[]): Generator<RuleMatch> {
    const [first, second] = members;
    const from = this.set.from[0];
    const to = this.set.to[0];
    if (first === undefined || second === undefined || from === undefined || to === undefined) return;
    const { pointer, value } = first.place;
    const place = (): ReturnType<RuleMatch['describe']> => {
      const detail = `${formatPointer(pointer)} is ${canonicalKey(value).slice(0, 80)}`;
      return { from: pointer, to: second.place.pointer, detail };
    };
    const others = members.slice(1).map(({ part }) => part);
    yield { from: [first.part], to: others, clauses: { from, to }, verb: this.verb, describe: place };
  }
}

/** Short for values of any length, of which every group would keep one. */
function groupKeyOf(parts: readonly unknown[]): string {
  const text = JSON.stringify(parts);
  return text.length <= MAX_KEY_LENGTH ? text : createHash('sha256').update(text).digest('base64url');
}

/** The entries of an object with their names, or the value itself. */
function entriesOf({ value, pointer }: LocatedValue): [string, LocatedValue][] {
  if (!isObject(value)) return value === '' || Array.isArray(value) ? [] : [['', { value, pointer }]];
  return Object.entries(value)
    .filter(([, entry]) => entry !== null && typeof entry !== 'object')
    .map(([key, entry]) => [key, { value: entry, pointer: pointer + toPointer(key) }]);
}
