import { createHash } from 'node:crypto';
import { isObject } from '../../core/json/json.js';
import {
  type ComponentDefinition,
  type ConnectionDefinition,
  type ModelDefinition,
  type RelationshipDefinition,
} from './definitions.js';

/** What a digest is made of. */
export type AnyDefinition = ModelDefinition | ComponentDefinition | RelationshipDefinition | ConnectionDefinition;

/** Members of `rest` that tell of a record somewhere and not of the definition. */
const RECORD_MEMBERS = new Set([
  'id',
  ...['hostID', 'hostId', 'connectionId', 'modelId', 'registrantId', 'categoryId'],
  ...['host_id', 'connection_id', 'model_id', 'registrant_id', 'category_id'],
  'status',
  ...['createdAt', 'updatedAt', 'deletedAt'],
  ...['created_at', 'updated_at', 'deleted_at'],
]);

/**
 * SHA-256 in hex of what a definition says, without ids, timestamps and status; the order of members does not count.
 * The schema counts as the compact text that it is, so it is the same whether it came as text or as an object.
 */
export function definitionDigest(definition: AnyDefinition): string {
  const { digest: _digest, rest, ...members } = definition;
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

/** What tells relationships of one model apart, since many have the same kind, type and subType: these and the selectors. */
export function relationshipIdentity({ kind, type, subType, selectors }: RelationshipDefinition): string {
  return createHash('sha256')
    .update(canonicalJson([kind, type, subType, selectors]))
    .digest('hex');
}

/** JSON text with the members of every object in one order. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
