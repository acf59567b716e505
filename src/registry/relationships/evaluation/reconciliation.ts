import { isObject, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { canonicalKey } from './value-join.js';
import { type EvaluationAction } from './evaluation.js';
import { type FoundRelationship, relationshipId, relationshipKeyOf, toRelationship } from './relationship.js';

/** States in which a relationship is active; in every other one a user has dismissed it. */
const ACTIVE_STATUSES = new Set(['', 'approved', 'pending', 'identified', 'enabled']);

/** Relationships of a design before an evaluation. */
export interface ExistingRelationships {
  /** Those that the user or another program added: kept unchanged. */
  drawn: JsonObject[];
  /** Those that an earlier evaluation found, by id. */
  ours: Map<string, JsonObject>;
}

export interface ReconciliationResult {
  relationships: JsonObject[];
  added: JsonObject[];
  updated: JsonObject[];
  removed: JsonObject[];
  actions: EvaluationAction[];
}

/** Separates relationships that were drawn from those found by an evaluation, whose ids are derived from their content. */
export function partitionRelationships(relationships: readonly JsonObject[]): ExistingRelationships {
  const standing: ExistingRelationships = { drawn: [], ours: new Map() };
  for (const relationship of relationships) {
    const id = asText(relationship['id']);
    if (id !== '' && id === relationshipId(relationshipKeyOf(relationship))) standing.ours.set(id, relationship);
    else standing.drawn.push(relationship);
  }
  return standing;
}

/** Whether a relationship of a design is active. */
export function isActive(relationship: JsonObject): boolean {
  return ACTIVE_STATUSES.has(asText(relationship['status']));
}

/**
 * Merges the findings with the relationships of a design: a drawn relationship replaces an equal finding.
 * @param mayHold whether a relationship of an earlier evaluation that was not found again may still apply, and so is kept
 */
export function reconcile(
  { drawn, ours }: ExistingRelationships,
  found: readonly FoundRelationship[],
  mayHold: (relationship: JsonObject) => boolean,
): ReconciliationResult {
  const standsFor = new Set(
    drawn.filter(isActive).map((relationship) => relationshipId(relationshipKeyOf(relationship))),
  );
  const result: ReconciliationResult = { relationships: [...drawn], added: [], updated: [], removed: [], actions: [] };
  const left = new Map(ours);
  for (const each of found) {
    if (standsFor.has(each.id)) continue;
    const before = ours.get(each.id);
    left.delete(each.id);
    const relationship = toRelationship(each);
    const after = before === undefined ? relationship : mergeFound(before, relationship);
    result.relationships.push(after);
    if (before === after) continue;
    (before === undefined ? result.added : result.updated).push(after);
    result.actions.push(toAction(before === undefined ? 'add_relationship' : 'update_relationship', after));
  }
  for (const [id, relationship] of left) {
    if (!standsFor.has(id) && mayHold(relationship)) {
      result.relationships.push(relationship);
      continue;
    }
    result.removed.push(relationship);
    const why = standsFor.has(id) ? 'The same relationship was drawn.' : 'It no longer holds.';
    result.actions.push({ ...toAction('delete_relationship', relationship), reason: why });
  }
  return result;
}

/** Relationships that were found again, with the additions of others: styles, and dismissals. */
function mergeFound(before: JsonObject, found: JsonObject): JsonObject {
  const status = isActive(before) ? found['status'] : before['status'];
  const metadata = { ...asObject(before['metadata']), ...asObject(found['metadata']) };
  const after: JsonObject = { ...before, ...found, status: status ?? 'approved', metadata };
  return canonicalKey(after) === canonicalKey(before) ? before : after;
}

type RelationshipAction = Exclude<EvaluationAction, { op: 'update_component' }>;

/** An action on a relationship, named by its first two ends. */
export function toAction(op: RelationshipAction['op'], relationship: JsonObject): RelationshipAction {
  const { from, to } = relationshipKeyOf(relationship);
  const reason = asObject(relationship['metadata'])['reason'];
  const text = isObject(reason) ? asText(reason['text']) : '';
  return { op, id: asText(relationship['id']), from: from[0] ?? '', to: to[0] ?? '', reason: text };
}
