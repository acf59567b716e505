import { type Fault } from '../../core/errors/app-error.js';
import type { JsonObject } from '../../core/json/json.js';
import { type RelationshipDefinition } from '../../formats/definitions/definitions.js';
import { type RawDefinition } from './raw-definition.js';
import { MemberReader } from './member-reader.js';

/** Edges that connect without changing either end; all others bind. */
const NON_BINDING_SUB_TYPES = new Set(['network', 'annotation']);

/** Reads a relationship in any of its forms. The oldest has one selector instead of a list, capitalized words, and no type. */
export function readRelationshipDefinition({ value, pointer }: RawDefinition, faults: Fault[]): RelationshipDefinition {
  const members = new MemberReader(value, pointer, faults);
  members.ignore('schemaVersion', 'apiVersion', 'model', 'modelReference');
  const kind = members.readName('kind', 'Give the kind: edge, hierarchical or sibling.').toLowerCase();
  const subType = members.readName('subType', 'Give the subType, such as network or inventory.').toLowerCase();
  const type = members.readText('type').toLowerCase();
  members.checkName('type', type);
  return {
    kind,
    type: type || defaultType(kind, subType),
    subType,
    version: members.readText('version'),
    selectors: readSelectors(members),
    metadata: members.readObject('metadata') ?? {},
    rest: members.unreadMembers(),
  };
}

function readSelectors(members: MemberReader): JsonObject[] {
  const given = members.readValue('selectors');
  if (Array.isArray(given) || given === undefined) return members.readObjectList('selectors') ?? [];
  const only = members.readObject('selectors');
  return only ? [only] : [];
}

function defaultType(kind: string, subType: string): string {
  if (kind === 'edge') return NON_BINDING_SUB_TYPES.has(subType) ? 'non-binding' : 'binding';
  return kind === 'hierarchical' && subType === 'sibling' ? 'sibling' : kind === 'hierarchical' ? 'parent' : kind;
}
