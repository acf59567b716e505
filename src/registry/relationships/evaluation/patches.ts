import { type DesignComponent } from '../../../formats/design-file/design-file.js';
import { truncate } from '../../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { isSelf } from './selector-clause.js';
import { canonicalKey } from './value-join.js';
import { type EvaluationAction } from './evaluation.js';
import { type EvaluationBudget } from './evaluation-budget.js';
import { WILDCARD, type ComponentPath, findValuesAt, parsePath } from './component-path.js';
import { updateOf, isActive } from './reconciliation.js';

/** The supported strategies of a patch. */
const STRATEGIES = new Set(['', 'replace', 'merge']);

/** Characters of an id, which is any text, in a note. */
const MAX_ID_LENGTH = 255;
const BUDGET_NOTE = 'its patches and those after it copy too much, and are not applied.';

export interface PatchResult {
  components: DesignComponent[];
  drawn: JsonObject[];
  updatedComponents: DesignComponent[];
  updatedRelationships: JsonObject[];
  actions: EvaluationAction[];
  notes: string[];
  /** Whether patches were left out because they copy too much. */
  isTruncated: boolean;
}

/**
 * Applies the patches of drawn relationships, in their order: the mutated component takes the value of the mutator. A pending relationship is
 * approved once all of its patches hold.
 */
export function applyPatches(
  components: readonly DesignComponent[],
  drawn: readonly JsonObject[],
  budget: EvaluationBudget,
): PatchResult {
  const now = new Map(components.map((component) => [component.id, component]));
  const changed = new Set<string>();
  const result: PatchResult = {
    components: [],
    drawn: [],
    updatedComponents: [],
    updatedRelationships: [],
    actions: [],
    notes: [],
    isTruncated: false,
  };
  for (const relationship of drawn) {
    const id = asText(relationship['id']);
    const patches = isActive(relationship) && !result.isTruncated ? readPatches(relationship) : [];
    let isApplied = patches.length > 0;
    for (const patch of patches) {
      const done = applyPatch(patch, now, (change) => budget.take({ ...change, relationship: id }));
      if (typeof done === 'string') {
        isApplied = false;
        const note = `Relationship ${truncate(id, MAX_ID_LENGTH)}: ${done}`;
        result.isTruncated ||= done === BUDGET_NOTE || !budget.take([note]);
        if (done === BUDGET_NOTE || !result.isTruncated) result.notes.push(note);
      } else if (done !== undefined) {
        now.set(done.component.id, done.component);
        changed.add(done.component.id);
        result.actions.push({ ...done.action, relationship: id });
      }
      if (result.isTruncated) break;
    }
    const isApproved = isApplied && !result.isTruncated && relationship['status'] === 'pending';
    const after = isApproved ? { ...relationship, status: 'approved' } : relationship;
    result.drawn.push(after);
    if (!isApproved) continue;
    result.updatedRelationships.push(after);
    result.actions.push(updateOf(after, 'status', 'Its patches have been applied.'));
  }
  result.components = components.map((component) =>
    changed.has(component.id) ? (now.get(component.id) ?? component) : component,
  );
  result.updatedComponents = [...changed].flatMap((id) => now.get(id) ?? []);
  return result;
}

interface Patch {
  mutator: { id: string; path: ComponentPath | undefined };
  mutated: { id: string; path: ComponentPath | undefined };
  strategy: string;
}

/** One end of a patch, with the paths that it gives or takes. */
interface PatchEnd {
  id: string;
  mutatorRef: Json | undefined;
  mutatedRef: Json | undefined;
  strategy: string;
}

/** The patches between both ends, and those of each end with the component that binds it, in `match.from` and `match.to`. */
function readPatches({ selectors }: JsonObject): Patch[] {
  const sets = Array.isArray(selectors) ? selectors.filter(isObject) : [];
  return sets.flatMap(({ allow }) => {
    const clauses = ['from', 'to'].map((side) => firstObject(asObject(allow)[side]));
    const [from, to] = clauses.map((clause) => toPatchEnd(asText(clause['id']), asObject(clause['patch'])));
    const bound = clauses.map(({ id, match }) => {
      const entries = ['from', 'to'].map((side) => firstObject(asObject(match)[side]));
      return entries.map((entry) => toPatchEnd(asText(entry['id']) || (isSelf(entry) ? asText(id) : ''), entry));
    });
    return [[from, to], ...bound].flatMap(([one, other]) =>
      one === undefined || other === undefined ? [] : [...readCopies(one, other), ...readCopies(other, one)],
    );
  });
}

function toPatchEnd(id: string, { mutatorRef, mutatedRef, patchStrategy }: JsonObject): PatchEnd {
  return { id, mutatorRef, mutatedRef, strategy: asText(patchStrategy) };
}

function firstObject(list: Json | undefined): JsonObject {
  return asObject(Array.isArray(list) ? list[0] : undefined);
}

/** The values that one end copies to the other, path by path; of lists of different lengths the shorter counts. */
function readCopies(giver: PatchEnd, taker: PatchEnd): Patch[] {
  const [given, taken] = [giver.mutatorRef, taker.mutatedRef];
  if (!Array.isArray(given) || !Array.isArray(taken)) return [];
  return given.slice(0, taken.length).map((path, index): Patch => {
    const mutator = { id: giver.id, path: parsePath(path) };
    return { mutator, mutated: { id: taker.id, path: parsePath(taken[index]) }, strategy: taker.strategy };
  });
}

interface AppliedPatch {
  component: DesignComponent;
  action: Omit<Extract<EvaluationAction, { pointer: string }>, 'relationship'>;
}

/**
 * The component after a patch; undefined when the values agree already, text with the reason when it is not applied.
 * @param hasSpaceFor whether the evaluation may still copy this value in the place of that
 */
function applyPatch(
  { mutator, mutated, strategy }: Patch,
  components: ReadonlyMap<string, DesignComponent>,
  hasSpaceFor: (change: { id: string; path: ComponentPath; old: Json; new: Json }) => boolean,
): AppliedPatch | string | undefined {
  const [giver, taker] = [components.get(mutator.id), components.get(mutated.id)];
  if (giver === undefined || taker === undefined) return 'an end is not in the design.';
  if (mutator.path === undefined || mutated.path === undefined) return 'a path of its patches is not one.';
  const root = mutated.path[0];
  if (root !== 'configuration' && !(root === 'displayName' && mutated.path.length === 1))
    return `${mutated.path.join('.')} is not for patches.`;
  if (!STRATEGIES.has(strategy)) return `the patch strategy "${strategy}" is not applied.`;
  const [source, path] = [
    chooseItems(giver as JsonObject, mutator.path),
    chooseItems(taker as JsonObject, mutated.path),
  ];
  if (source === undefined) return `${mutator.path.join('.')} is not one place.`;
  if (path === undefined) return `${mutated.path.join('.')} is not one place.`;
  const [given, before] = [valueAt(giver, source), valueAt(taker, path)];
  if (given === undefined) return before === undefined ? undefined : `${source.join('.')} has no value.`;
  const old = before ?? null;
  const value = strategy === 'merge' ? mergeValues(old, given) : given;
  if (root === 'displayName' && typeof value !== 'string') return 'displayName must be text.';
  if (path.length === 1 && root === 'configuration' && !isObject(value)) return 'configuration must be an object.';
  if (!hasSpaceFor({ id: taker.id, path, old, new: given })) return BUDGET_NOTE;
  if (canonicalKey(old) === canonicalKey(value) && typeof old === typeof value) return undefined;
  const component = withValueAt(taker as JsonObject, path, value);
  if (component === undefined) return `${path.join('.')} leads through a value that is not an object.`;
  const op = root === 'configuration' ? 'update_component_configuration' : 'update_component';
  const { id } = taker;
  return {
    component: component as DesignComponent,
    action: { op, id, pointer: toPointer(...path), old, new: value, value: { id, path, value } },
  };
}

function valueAt(component: DesignComponent, path: ComponentPath): Json | undefined {
  return findValuesAt({ value: component as JsonObject, pointer: '' }, path)[0]?.value;
}

/** A path whose wildcards stand for the only item of their list; undefined when a list has no item or several. */
function chooseItems(component: JsonObject, path: ComponentPath): ComponentPath | undefined {
  let value: Json | undefined = component;
  const chosen: string[] = [];
  for (const segment of path) {
    if (segment === WILDCARD && !(Array.isArray(value) && value.length === 1)) return undefined;
    const name = segment === WILDCARD ? '0' : segment;
    const members: JsonObject | Json[] | undefined = isObject(value) || Array.isArray(value) ? value : undefined;
    value = members && Object.hasOwn(members, name) ? (members as JsonObject)[name] : undefined;
    chosen.push(name);
  }
  return chosen;
}

/** A copy with one value set at a path; missing parents are created. Undefined when the path leads through another type. */
function withValueAt(value: Json | undefined, [first, ...rest]: ComponentPath, last: Json): Json | undefined {
  if (first === undefined) return last;
  if (Array.isArray(value)) {
    const index = /^(?:0|[1-9]\d{0,5})$/.test(first) ? Number(first) : -1;
    const item = index < 0 || index > value.length ? undefined : withValueAt(value[index], rest, last);
    return item === undefined ? undefined : Object.assign([...value], { [index]: item });
  }
  if ((value !== undefined && value !== null && !isObject(value)) || first === '__proto__') return undefined;
  const below = withValueAt(value && Object.hasOwn(value, first) ? value[first] : undefined, rest, last);
  return below === undefined ? undefined : { ...value, [first]: below };
}

function mergeValues(old: Json, given: Json): Json {
  if (!isObject(old) || !isObject(given)) return given;
  const entries = Object.entries(given).map(([key, value]): [string, Json] => [
    key,
    Object.hasOwn(old, key) ? mergeValues(old[key] ?? null, value) : value,
  ]);
  return Object.fromEntries([...Object.entries(old), ...entries]);
}
