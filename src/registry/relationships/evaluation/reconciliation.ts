import { isObject, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { canonicalKey } from './value-join.js';
import { type EvaluationAction } from './evaluation.js';
import {
  type FoundRelationship,
  identityOf,
  relationshipId,
  relationshipKeyOf,
  toRelationship,
} from './relationship.js';

/** States in which a relationship is active; in every other one a user has dismissed it. */
const ACTIVE_STATUSES = new Set(['', 'approved', 'pending', 'identified', 'enabled']);

/** Relationships of a design before an evaluation. */
export interface ExistingRelationships {
  /** Those that the user or another program added. */
  drawn: JsonObject[];
  /** Those that an earlier evaluation found, by identity. */
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
    const key = relationshipKeyOf(relationship);
    const isOurs = id !== '' && id === relationshipId(key) && !standing.ours.has(identityOf(key));
    if (isOurs) standing.ours.set(identityOf(key), relationship);
    else standing.drawn.push(relationship);
  }
  return standing;
}

/** Whether a relationship of a design is active. */
export function isActive(relationship: JsonObject): boolean {
  return ACTIVE_STATUSES.has(asText(relationship['status']));
}

/** Decides what becomes of relationships that were not found. */
export interface ReconciliationRules {
  /** Whether a component of a relationship is no longer in the design. */
  hasLostEnd: (relationship: JsonObject) => boolean;
  /** Whether a relationship of an earlier evaluation may still apply, and so is kept. */
  mayHold: (relationship: JsonObject) => boolean;
}

/**
 * Merges the findings with the relationships of a design: a drawn relationship replaces an equal finding, and is deleted, by its status, once
 * one of its components is gone.
 */
export function reconcile(
  { drawn, ours }: ExistingRelationships,
  found: readonly FoundRelationship[],
  { hasLostEnd, mayHold }: ReconciliationRules,
): ReconciliationResult {
  const result: ReconciliationResult = { relationships: [], added: [], updated: [], removed: [], actions: [] };
  const standsFor = new Set<string>();
  for (const relationship of drawn) {
    const isLost = isActive(relationship) && hasLostEnd(relationship);
    const after = isLost ? { ...relationship, status: 'deleted' } : relationship;
    result.relationships.push(after);
    if (isActive(after)) standsFor.add(identityOf(relationshipKeyOf(after)));
    if (!isLost) continue;
    result.updated.push(after);
    result.actions.push(updateOf(after, 'status', 'One of its components is no longer in the design.'));
  }
  const left = new Map(ours);
  for (const each of found) {
    const identity = identityOf(each.key);
    if (standsFor.has(identity)) continue;
    const before = ours.get(identity);
    left.delete(identity);
    const relationship = toRelationship(each);
    const after = before === undefined ? relationship : mergeFound(before, relationship);
    result.relationships.push(after);
    if (before === undefined) {
      result.added.push(after);
      result.actions.push({ op: 'add_relationship', ...namesOf(after), value: { item: after } });
    } else if (before !== after) {
      result.updated.push(after);
      result.actions.push(...changedMembers(before, after).map((member) => updateOf(after, member)));
    }
  }
  for (const [identity, relationship] of left) {
    if (!standsFor.has(identity) && mayHold(relationship)) {
      result.relationships.push(relationship);
      continue;
    }
    result.removed.push(relationship);
    const reason = standsFor.has(identity) ? 'The same relationship was drawn.' : 'It no longer holds.';
    const names = namesOf(relationship);
    result.actions.push({ op: 'delete_relationship', ...names, reason, value: { id: names.id } });
  }
  return result;
}

/** Relationships that were found again, with the additions of others: styles, and dismissals. Siblings keep the order of their members. */
function mergeFound(before: JsonObject, found: JsonObject): JsonObject {
  const status = isActive(before) ? found['status'] : before['status'];
  const metadata = { ...asObject(before['metadata']), ...asObject(found['metadata']) };
  const isSame = before['id'] === found['id'];
  const ends: JsonObject = isSame ? {} : { id: before['id'] ?? '', selectors: before['selectors'] ?? [] };
  const after: JsonObject = { ...before, ...found, ...ends, status: status ?? 'approved', metadata };
  return canonicalKey(after) === canonicalKey(before) ? before : after;
}

function changedMembers(before: JsonObject, after: JsonObject): string[] {
  return Object.keys(after).filter((name) => canonicalKey(before[name] ?? null) !== canonicalKey(after[name] ?? null));
}

/** The id of a relationship, its first two ends and its reason. */
function namesOf(relationship: JsonObject): { id: string; from: string; to: string; reason: string } {
  const { from, to } = relationshipKeyOf(relationship);
  const reason = asObject(relationship['metadata'])['reason'];
  const text = isObject(reason) ? asText(reason['text']) : '';
  return { id: asText(relationship['id']), from: from[0] ?? '', to: to[0] ?? '', reason: text };
}

/** The change of one member of a relationship. */
export function updateOf(after: JsonObject, member: string, reason?: string): EvaluationAction {
  const names = namesOf(after);
  const value = { id: names.id, path: [member], value: after[member] ?? null };
  return { op: 'update_relationship', ...names, ...(reason === undefined ? {} : { reason }), value };
}
