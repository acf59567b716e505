import { type Json, type JsonObject, isObject, asObject, asText } from '../../../core/json/json.js';
import { matchesLabels, type LabelRequirement, parseLabelSelector, parseLabelMap } from './label-requirement.js';
import { findLabels, type IndexedComponent } from './indexed-component.js';
import {
  type ComponentPath,
  type LocatedValue,
  findValuesAt,
  formatPointer,
  parsePath,
  parseSteps,
} from './component-path.js';
import {
  isAllowedPair,
  findClauses,
  PAUSE_STEPS,
  type RuleMatch,
  type EvaluationRule,
  type SelectorSet,
} from './evaluation-rule.js';
import { type ComponentIndex } from './component-index.js';

/** One label selector in a definition. */
interface SelectorLocation {
  at: ComponentPath;
  selector: ComponentPath;
  /** `map` is plain labels and selects nothing when empty; `selector` has matchLabels and selects all when empty. */
  form: 'map' | 'selector';
  /** A selector of namespaces; without it, the namespace is the holder's own. It selects nothing that is in none, unless it is empty. */
  namespaceSelector: ComponentPath | undefined;
  /** `{any: true}` or `{matchNames: […]}`. */
  namespaceNames: ComponentPath | undefined;
  /** Selects in every namespace, regardless of the holder. */
  anyNamespace: boolean;
}

/** The labels that a selector selects, and its namespaces. */
interface LabelSelection {
  pointer: string;
  requirement: LabelRequirement;
  within: (namespace: string) => boolean;
}

const MATCH_ALL: LabelRequirement = { pairs: [], expressions: [], text: '' };

/** Finds what something selects by label: `match: {strategy: "labelSelector", selectors: […], labels, verb}`. */
export class LabelSelectorRule implements EvaluationRule {
  private constructor(
    private readonly set: SelectorSet,
    private readonly places: readonly SelectorLocation[],
    private readonly labels: ComponentPath,
    private readonly verb: string,
    /** The component at the end of the relationship holds the selector: a child belongs to what selects it. */
    private readonly heldByTo: boolean,
  ) {}

  /** Text with the reason why a match is invalid. */
  static parse(set: SelectorSet, match: JsonObject): LabelSelectorRule | string {
    const labels = parsePath(match['labels'] ?? 'metadata.labels');
    const listed = Array.isArray(match['selectors']) ? match['selectors'].map(parseSelectorLocation) : [];
    const places = listed.filter((place) => place !== undefined);
    if (labels === undefined || places.length === 0 || places.length < listed.length)
      return 'match.selectors and match.labels do not all name a place.';
    return new LabelSelectorRule(set, places, labels, asText(match['verb']) || 'selects', match['holder'] === 'to');
  }

  *find(scene: ComponentIndex): Generator<RuleMatch | undefined> {
    const [holders, selected] = this.heldByTo ? [this.set.to, this.set.from] : [this.set.from, this.set.to];
    const all = scene.select(selected);
    for (const holder of scene.select(holders)) {
      for (const place of this.places) {
        for (const at of holder.valuesAt(place.at)) {
          for (const selection of readSelections(scene, holder, place, at))
            yield* this.select(scene, holder, selection, all);
        }
      }
    }
  }

  private *select(
    scene: ComponentIndex,
    holder: IndexedComponent,
    { pointer, requirement, within }: LabelSelection,
    all: IndexedComponent[],
  ): Generator<RuleMatch | undefined> {
    const lists = requirement.pairs.map(([key, value]) => scene.findByLabel(this.labels, key, value));
    const fewest = lists.reduce((least, list) => (list.length < least.length ? list : least), all);
    for (const [index, part] of fewest.entries()) {
      if ((index + 1) % PAUSE_STEPS === 0) yield undefined;
      if (!within(part.namespace)) continue;
      const labels = findLabels(part, this.labels);
      if (labels === undefined || !matchesLabels(asObject(labels.value), requirement)) continue;
      const [from, to] = this.heldByTo ? [part, holder] : [holder, part];
      const clauses = isAllowedPair(this.set, from, to) ? findClauses(this.set, from, to) : undefined;
      if (clauses === undefined) continue;
      const detail = (): string =>
        requirement.text === ''
          ? `${formatPointer(pointer)} is empty and selects all`
          : `${formatPointer(pointer)} ${requirement.text} matches ${formatPointer(labels.pointer)}`;
      const ends = this.heldByTo ? { from: labels.pointer, to: pointer } : { from: pointer, to: labels.pointer };
      yield { from: [from], to: [to], clauses, verb: this.verb, describe: () => ({ ...ends, detail: detail() }) };
    }
  }
}

function* readSelections(
  scene: ComponentIndex,
  from: IndexedComponent,
  { selector, form, namespaceSelector, namespaceNames, anyNamespace }: SelectorLocation,
  at: LocatedValue,
): Generator<LabelSelection> {
  const [namespaces] = namespaceSelector === undefined ? [] : findValuesAt(at, namespaceSelector);
  const [names] = namespaceNames === undefined ? [] : findValuesAt(at, namespaceNames);
  const within = anyNamespace ? () => true : parseNamespaceFilter(scene, from, namespaces?.value, names?.value);
  if (within === undefined) return;
  const selectors = findValuesAt(at, selector);
  if (selectors.length === 0 && namespaces !== undefined)
    yield { pointer: namespaces.pointer, requirement: MATCH_ALL, within };
  for (const { value, pointer } of selectors) {
    const requirement = form === 'map' ? parseLabelMap(value) : parseLabelSelector(value);
    if (requirement !== undefined) yield { pointer, requirement, within };
  }
}

function parseNamespaceFilter(
  scene: ComponentIndex,
  from: IndexedComponent,
  selector: Json | undefined,
  names: Json | undefined,
): LabelSelection['within'] | undefined {
  const own = from.namespace || scene.namespace;
  if (selector !== undefined) {
    const requirement = parseLabelSelector(selector);
    if (requirement === undefined) return undefined;
    const selectsAll = requirement.pairs.length === 0 && requirement.expressions.length === 0;
    return (namespace) =>
      namespace === '' ? selectsAll : matchesLabels(scene.labelsOfNamespace(namespace), requirement);
  }
  if (isObject(names) && names['any'] === true) return () => true;
  const listed = isObject(names) && Array.isArray(names['matchNames']) ? new Set(names['matchNames']) : undefined;
  if (listed !== undefined && listed.size > 0) return (namespace) => namespace === '' || listed.has(namespace);
  return (namespace) => namespace === '' || own === '' || namespace === own;
}

function parseSelectorLocation(entry: Json): SelectorLocation | undefined {
  if (!isObject(entry)) return undefined;
  const step = (member: string): ComponentPath | undefined =>
    typeof entry[member] === 'string' ? parseSteps(entry[member]) : undefined;
  const at = entry['at'] === undefined ? ['configuration'] : parsePath(entry['at']);
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
