import { type DesignComponent } from '../../../formats/design-file/design-file.js';
import { truncate } from '../../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { canonicalKey } from './value-join.js';
import { type EvaluationAction } from './evaluation.js';
import { type EvaluationBudget } from './evaluation-budget.js';
import { WILDCARD, type ComponentPath, findValuesAt, parsePath } from './component-path.js';
import { toAction, isActive } from './reconciliation.js';

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
}

/** Applies the patches of drawn relationships, in their order: the mutated component takes the value of the mutator, and pending relationships are approved. */
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
  };
  for (const relationship of drawn) {
    const id = asText(relationship['id']);
    const patches = isActive(relationship) && !budget.isExceeded ? readPatches(relationship) : [];
    for (const patch of patches) {
      if (budget.isExceeded) break;
      const done = applyPatch(patch, now, (old, value) =>
        budget.hasSpaceFor({ id: patch.mutated.id, path: patch.mutated.path, old, new: value, relationship: id }),
      );
      if (typeof done === 'string') {
        const note = `Relationship ${truncate(id, MAX_ID_LENGTH)}: ${done}`;
        if (budget.hasSpaceFor([note])) result.notes.push(note);
      } else if (done !== undefined) {
        now.set(done.component.id, done.component);
        changed.add(done.component.id);
        result.actions.push({ ...done.action, relationship: id });
      }
      if (budget.isExceeded) result.notes.push(`Relationship ${truncate(id, MAX_ID_LENGTH)}: ${BUDGET_NOTE}`);
    }
    const isApplied = patches.length > 0 && !budget.isExceeded;
    const approved =
      isApplied && relationship['status'] === 'pending' ? { ...relationship, status: 'approved' } : undefined;
    result.drawn.push(approved ?? relationship);
    if (approved === undefined) continue;
    result.updatedRelationships.push(approved);
    result.actions.push({ ...toAction('update_relationship', approved), reason: 'Its patches have been applied.' });
  }
  result.components = components.map((component) =>
    changed.has(component.id) ? (now.get(component.id) ?? component) : component,
  );
  result.updatedComponents = [...changed].flatMap((id) => now.get(id) ?? []);
  return result;
}

interface Patch {
  mutator: { id: string; path: ComponentPath };
  mutated: { id: string; path: ComponentPath };
  strategy: string;
}

function readPatches({ selectors }: JsonObject): Patch[] {
  const sets = Array.isArray(selectors) ? selectors.filter(isObject) : [];
  return sets.flatMap(({ allow }) => {
    const [from, to] = ['from', 'to'].map((side) => firstClause(asObject(allow)[side]));
    if (from === undefined || to === undefined) return [];
    return [...readCopies(from, to), ...readCopies(to, from)];
  });
}

function firstClause(list: Json | undefined): JsonObject {
  return asObject(Array.isArray(list) ? list[0] : undefined);
}

/** The values that one end copies to the other, path by path. */
function readCopies(giver: JsonObject, taker: JsonObject): Patch[] {
  const given = asObject(giver['patch'])['mutatorRef'];
  const { mutatedRef: taken, patchStrategy } = asObject(taker['patch']);
  if (!Array.isArray(given) || !Array.isArray(taken)) return [];
  return given.flatMap((path, index): Patch[] => {
    const [from, to] = [parsePath(path), parsePath(taken[index])];
    if (from === undefined || to === undefined) return [];
    const strategy = asText(patchStrategy);
    const mutator = { id: asText(giver['id']), path: from };
    const mutated = { id: asText(taker['id']), path: to };
    return [{ mutator, mutated, strategy }];
  });
}

interface AppliedPatch {
  component: DesignComponent;
  action: Omit<Extract<EvaluationAction, { op: 'update_component' }>, 'relationship'>;
}

/**
 * The component after a patch; undefined when nothing changes, text with the reason when it cannot be applied.
 * @param hasSpaceFor whether the evaluation may still copy this value in the place of that
 */
function applyPatch(
  { mutator, mutated, strategy }: Patch,
  components: ReadonlyMap<string, DesignComponent>,
  hasSpaceFor: (old: Json, value: Json) => boolean,
): AppliedPatch | string | undefined {
  const [giver, taker] = [components.get(mutator.id), components.get(mutated.id)];
  if (giver === undefined || taker === undefined) return 'an end is not in the design.';
  const { path } = mutated;
  if (path[0] !== 'configuration' && !(path[0] === 'displayName' && path.length === 1))
    return `${path.join('.')} is not for patches.`;
  if (path.includes(WILDCARD)) return `${path.join('.')} is not one place.`;
  if (!STRATEGIES.has(strategy)) return `the patch strategy "${strategy}" is not applied.`;
  const [given] = findValuesAt({ value: giver as JsonObject, pointer: '' }, mutator.path);
  if (given === undefined) return undefined;
  const whole = taker as JsonObject;
  const old = findValuesAt({ value: whole, pointer: '' }, path)[0]?.value ?? null;
  if (!hasSpaceFor(old, given.value)) return undefined;
  const value = strategy === 'merge' ? mergeValues(old, given.value) : given.value;
  if (canonicalKey(old) === canonicalKey(value) && typeof old === typeof value) return undefined;
  const component = withValueAt(whole, path, value);
  if (component === undefined) return `${path.join('.')} leads through a value that is not an object.`;
  return {
    component: component as DesignComponent,
    action: { op: 'update_component', id: taker.id, pointer: toPointer(...path), old, new: value },
  };
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
