import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/json/canonical-json.js';
import { UNCATEGORIZED } from './category.js';
import {
  type ComponentDefinition,
  type ConnectionDefinition,
  type ModelDefinition,
  type RelationshipDefinition,
} from './definitions.js';

/** The input of a digest. */
export type AnyDefinition = ModelDefinition | ComponentDefinition | RelationshipDefinition | ConnectionDefinition;

/** Members of `rest` that describe a record elsewhere and not the definition. */
const RECORD_MEMBERS = new Set([
  'id',
  ...['hostID', 'hostId', 'connectionId', 'modelId', 'registrantId', 'categoryId'],
  ...['host_id', 'connection_id', 'model_id', 'registrant_id', 'category_id'],
  'status',
  ...['createdAt', 'updatedAt', 'deletedAt'],
  ...['created_at', 'updated_at', 'deleted_at'],
]);

/**
 * SHA-256 in hex of the content of a definition, without ids, timestamps and status; the order of members does not matter,
 * and a model without a category is one of the category of such models.
 * The schema counts as compact text, so it is equal whether it was given as text or as an object.
 */
export function definitionDigest(definition: AnyDefinition): string {
  const { digest: _digest, rest, ...members } = definition;
  if ('category' in members && members.category === UNCATEGORIZED) members.category = '';
  const kept = Object.entries(rest).filter(([name]) => !RECORD_MEMBERS.has(name));
  const hash = createHash('sha256');
  if ('schema' in members) {
    const { schema, ...others } = members;
    hash.update(canonicalJson(others)).update('\0').update(schema);
  } else hash.update(canonicalJson(members));
  return hash
    .update('\0')
    .update(canonicalJson(Object.fromEntries(kept)))
    .digest('hex');
}

/** The identity of relationships of one model, because many have the same kind, type and subType: these and the selectors. */
export function relationshipIdentity({ kind, type, subType, selectors }: RelationshipDefinition): string {
  return createHash('sha256')
    .update(canonicalJson([kind, type, subType, selectors]))
    .digest('hex');
}
