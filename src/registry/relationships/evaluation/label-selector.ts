import { type Json, type JsonObject, isObject, objectOf, textOf } from '../../../formats/located.js';
import { meets, type Requirement, requirementOf, requirementOfMap } from './label-requirement.js';
import { labelsOf, type Part } from './part.js';
import { type Path, type Place, placesBelow, readable, readPath, readSteps } from './path.js';
import { allows, clausesFor, type Finding, type Rule, type SelectorSet } from './rule.js';
import { type Scene } from './scene.js';

/** One place that selects by label. */
interface Selecting {
  at: Path;
  selector: Path;
  /** `map` is plain labels and selects nothing when empty; `selector` has matchLabels and selects all when empty. */
  form: 'map' | 'selector';
  /** A selector of namespaces; where it is absent, the namespace is the holder's own. */
  namespaceSelector: Path | undefined;
  /** `{any: true}` or `{matchNames: […]}`. */
  namespaceNames: Path | undefined;
  /** Selects in every namespace, whatever the holder says. */
  anyNamespace: boolean;
}

/** What a place selects, and in which namespaces. */
interface Selection {
  pointer: string;
  requirement: Requirement;
  within: (namespace: string) => boolean;
}

const EVERYTHING: Requirement = { pairs: [], expressions: [], text: '' };

/** Finds what something selects by label: `match: {strategy: "labelSelector", selectors: […], labels, verb}`. */
export class LabelSelectorRule implements Rule {
  private constructor(
    private readonly set: SelectorSet,
    private readonly places: readonly Selecting[],
    private readonly labels: Path,
    private readonly verb: string,
    /** The selector is held by the component at the end of the relationship: a child belongs to what selects it. */
    private readonly heldByTo: boolean,
  ) {}

  /** Text says why a match cannot be taken. */
  static of(set: SelectorSet, match: JsonObject): LabelSelectorRule | string {
    const labels = readPath(match['labels'] ?? 'metadata.labels');
    const listed = Array.isArray(match['selectors']) ? match['selectors'].map(selectingOf) : [];
    const places = listed.filter((place) => place !== undefined);
    if (labels === undefined || places.length === 0 || places.length < listed.length)
      return 'match.selectors and match.labels do not all name a place.';
    return new LabelSelectorRule(set, places, labels, textOf(match['verb']) || 'selects', match['holder'] === 'to');
  }

  *find(scene: Scene): Generator<Finding> {
    const [holders, selected] = this.heldByTo ? [this.set.to, this.set.from] : [this.set.from, this.set.to];
    const all = scene.of(selected);
    for (const holder of scene.of(holders)) {
      for (const place of this.places) {
        for (const at of holder.places(place.at)) {
          for (const selection of selectionsOf(scene, holder, place, at))
            yield* this.select(scene, holder, selection, all);
        }
      }
    }
  }

  private *select(
    scene: Scene,
    holder: Part,
    { pointer, requirement, within }: Selection,
    all: Part[],
  ): Generator<Finding> {
    const lists = requirement.pairs.map(([key, value]) => scene.labelled(this.labels, key, value));
    const fewest = lists.reduce((least, list) => (list.length < least.length ? list : least), all);
    for (const part of fewest) {
      if (part.namespace !== '' && !within(part.namespace)) continue;
      const labels = labelsOf(part, this.labels);
      if (labels === undefined || !meets(objectOf(labels.value), requirement)) continue;
      const [from, to] = this.heldByTo ? [part, holder] : [holder, part];
      const clauses = allows(this.set, from, to) ? clausesFor(this.set, from, to) : undefined;
      if (clauses === undefined) continue;
      const detail = (): string =>
        requirement.text === ''
          ? `${readable(pointer)} is empty and selects all`
          : `${readable(pointer)} ${requirement.text} matches ${readable(labels.pointer)}`;
      const ends = this.heldByTo ? { from: labels.pointer, to: pointer } : { from: pointer, to: labels.pointer };
      yield { from: [from], to: [to], clauses, verb: this.verb, place: () => ({ ...ends, detail: detail() }) };
    }
  }
}

function* selectionsOf(
  scene: Scene,
  from: Part,
  { selector, form, namespaceSelector, namespaceNames, anyNamespace }: Selecting,
  at: Place,
): Generator<Selection> {
  const [namespaces] = namespaceSelector === undefined ? [] : placesBelow(at, namespaceSelector);
  const [names] = namespaceNames === undefined ? [] : placesBelow(at, namespaceNames);
  const within = anyNamespace ? () => true : withinOf(scene, from, namespaces?.value, names?.value);
  if (within === undefined) return;
  const selectors = placesBelow(at, selector);
  if (selectors.length === 0 && namespaces !== undefined)
    yield { pointer: namespaces.pointer, requirement: EVERYTHING, within };
  for (const { value, pointer } of selectors) {
    const requirement = form === 'map' ? requirementOfMap(value) : requirementOf(value);
    if (requirement !== undefined) yield { pointer, requirement, within };
  }
}

function withinOf(
  scene: Scene,
  from: Part,
  selector: Json | undefined,
  names: Json | undefined,
): Selection['within'] | undefined {
  const own = from.namespace || scene.namespace;
  if (selector !== undefined) {
    const requirement = requirementOf(selector);
    return requirement && ((namespace) => meets(scene.labelsOfNamespace(namespace), requirement));
  }
  if (isObject(names) && names['any'] === true) return () => true;
  const listed = isObject(names) && Array.isArray(names['matchNames']) ? new Set(names['matchNames']) : undefined;
  return (namespace) => (listed === undefined || listed.size === 0 ? namespace === own : listed.has(namespace));
}

function selectingOf(entry: Json): Selecting | undefined {
  if (!isObject(entry)) return undefined;
  const step = (member: string): Path | undefined =>
    typeof entry[member] === 'string' ? readSteps(entry[member]) : undefined;
  const at = entry['at'] === undefined ? ['configuration'] : readPath(entry['at']);
  const selector = step('selector');
  if (at === undefined || selector === undefined) return undefined;
  return {
    at,
    selector,
    form: entry['form'] === 'map' ? 'map' : 'selector',
    namespaceSelector: step('namespaceSelector'),
    namespaceNames: step('namespaceNames'),
    anyNamespace: entry['anyNamespace'] === true,
  };
}
