import { isObject, type JsonObject, objectOf, textOf } from '../../../formats/located.js';
import { keyOf } from './agreement.js';
import { type Action } from './evaluation.js';
import { type Found, idOf, keyOfRelationship, relationshipOf } from './relationship.js';

/** States in which a relationship counts; in every other one somebody has dismissed it. */
const COUNTS = new Set(['', 'approved', 'pending', 'identified', 'enabled']);

/** Relationships of a design before an evaluation. */
export interface Standing {
  /** Those that the user drew, or another program: kept as they are. */
  drawn: JsonObject[];
  /** Those that an earlier evaluation found, by id. */
  ours: Map<string, JsonObject>;
}

export interface Reconciled {
  relationships: JsonObject[];
  added: JsonObject[];
  updated: JsonObject[];
  removed: JsonObject[];
  actions: Action[];
}

/** Tells those that were drawn from those that we found: an id of ours follows from what the relationship says. */
export function standingOf(relationships: readonly JsonObject[]): Standing {
  const standing: Standing = { drawn: [], ours: new Map() };
  for (const relationship of relationships) {
    const id = textOf(relationship['id']);
    if (id !== '' && id === idOf(keyOfRelationship(relationship))) standing.ours.set(id, relationship);
    else standing.drawn.push(relationship);
  }
  return standing;
}

/** Whether a relationship of a design is in force. */
export function counts(relationship: JsonObject): boolean {
  return COUNTS.has(textOf(relationship['status']));
}

/** Brings what was found together with what a design has: a drawn relationship stands for the same found one. */
export function reconcile({ drawn, ours }: Standing, found: readonly Found[]): Reconciled {
  const standsFor = new Set(drawn.filter(counts).map((relationship) => idOf(keyOfRelationship(relationship))));
  const result: Reconciled = { relationships: [...drawn], added: [], updated: [], removed: [], actions: [] };
  const left = new Map(ours);
  for (const each of found) {
    if (standsFor.has(each.id)) continue;
    const before = ours.get(each.id);
    left.delete(each.id);
    const relationship = relationshipOf(each);
    const after = before === undefined ? relationship : renewed(before, relationship);
    result.relationships.push(after);
    if (before === after) continue;
    (before === undefined ? result.added : result.updated).push(after);
    result.actions.push(actionOn(before === undefined ? 'add_relationship' : 'update_relationship', after));
  }
  for (const [id, relationship] of left) {
    result.removed.push(relationship);
    const why = standsFor.has(id) ? 'The same relationship was drawn.' : 'It no longer holds.';
    result.actions.push({ ...actionOn('delete_relationship', relationship), reason: why });
  }
  return result;
}

/** What was found again, with what others added to it: styles, and that somebody dismissed it. */
function renewed(before: JsonObject, found: JsonObject): JsonObject {
  const status = counts(before) ? found['status'] : before['status'];
  const metadata = { ...objectOf(before['metadata']), ...objectOf(found['metadata']) };
  const after: JsonObject = { ...before, ...found, status: status ?? 'approved', metadata };
  return keyOf(after) === keyOf(before) ? before : after;
}

type RelationshipAction = Exclude<Action, { op: 'update_component' }>;

/** An action on a relationship, named by its first two ends. */
export function actionOn(op: RelationshipAction['op'], relationship: JsonObject): RelationshipAction {
  const { from, to } = keyOfRelationship(relationship);
  const reason = objectOf(relationship['metadata'])['reason'];
  const text = isObject(reason) ? textOf(reason['text']) : '';
  return { op, id: textOf(relationship['id']), from: from[0] ?? '', to: to[0] ?? '', reason: text };
}
