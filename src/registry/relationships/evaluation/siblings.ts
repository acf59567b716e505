import { isObject, type Json, pointerTo, textOf } from '../../../formats/located.js';
import { keyOf } from './agreement.js';
import { fitsOne } from './clause.js';
import { type Part } from './part.js';
import { type Path, type Place, readable, readPath } from './path.js';
import { type Finding, type Rule, type SelectorSet } from './rule.js';
import { type Scene } from './scene.js';

interface Member {
  part: Part;
  place: Place;
}

/**
 * Finds components that have a value in common, as one relationship for the whole group: pairs would be the square of its members.
 * `match: {strategy: "sameValue", paths}`, or `match.refs` of the field's own language. Of an object, each entry counts for itself.
 */
export class SiblingRule implements Rule {
  private constructor(
    private readonly set: SelectorSet,
    private readonly paths: readonly Path[],
    private readonly verb: string,
  ) {}

  /** Text says why the paths cannot be taken. */
  static of(set: SelectorSet, listed: Json | undefined, verb?: Json): SiblingRule | string {
    const paths = Array.isArray(listed) ? listed.map(readPath) : [];
    const known = paths.filter((path) => path !== undefined);
    if (known.length === 0 || known.length < paths.length) return 'The places that siblings share are not all paths.';
    return new SiblingRule(set, known, textOf(verb) || 'belongs together with');
  }

  *find(scene: Scene): Generator<Finding> {
    const groups = new Map<string, Member[]>();
    for (const part of scene.parts) {
      if (!fitsOne(this.set.from, part) && !fitsOne(this.set.to, part)) continue;
      if (this.set.denies(part, part)) continue;
      for (const path of this.paths) {
        for (const [entry, place] of part.places(path).flatMap(entriesOf)) {
          const key = JSON.stringify([path, entry, keyOf(place.value)]);
          const group = groups.get(key);
          if (group === undefined) groups.set(key, [{ part, place }]);
          else if (group.at(-1)?.part !== part) group.push({ part, place });
        }
      }
    }
    for (const members of groups.values()) yield* this.group(members);
  }

  private *group(members: readonly Member[]): Generator<Finding> {
    const [first, second] = members;
    const from = this.set.from[0];
    const to = this.set.to[0];
    if (first === undefined || second === undefined || from === undefined || to === undefined) return;
    const { pointer, value } = first.place;
    const place = (): ReturnType<Finding['place']> => {
      const detail = `${readable(pointer)} is ${keyOf(value).slice(0, 80)}`;
      return { from: pointer, to: second.place.pointer, detail };
    };
    const others = members.slice(1).map(({ part }) => part);
    yield { from: [first.part], to: others, clauses: { from, to }, verb: this.verb, place };
  }
}

/** The entries of an object with their names, or the value itself. */
function entriesOf({ value, pointer }: Place): [string, Place][] {
  if (!isObject(value)) return value === '' || Array.isArray(value) ? [] : [['', { value, pointer }]];
  return Object.entries(value)
    .filter(([, entry]) => entry !== null && typeof entry !== 'object')
    .map(([key, entry]) => [key, { value: entry, pointer: pointer + pointerTo(key) }]);
}
