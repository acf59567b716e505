import { type Fault } from '../../core/errors/app-error.js';
import { type JsonObject } from '../../formats/located.js';
import { type RelationshipDefinition } from '../definition.js';
import { type FoundDefinition } from './found-definition.js';
import { Members } from './members.js';

/** Edges that connect without changing either end; all others bind. */
const NON_BINDING = new Set(['network', 'annotation']);

/** Reads a relationship in any of its forms. The oldest has one selector instead of a list, words that begin with a capital, and no type. */
export function readRelationship({ value, pointer }: FoundDefinition, faults: Fault[]): RelationshipDefinition {
  const members = new Members(value, pointer, faults);
  members.drop('schemaVersion', 'apiVersion', 'model', 'modelReference');
  const kind = members.name('kind', 'Give the kind: edge, hierarchical or sibling.').toLowerCase();
  const subType = members.name('subType', 'Give the subType, such as network or inventory.').toLowerCase();
  const type = members.text('type').toLowerCase();
  members.mustBeName('type', type);
  return {
    kind,
    type: type || typeOf(kind, subType),
    subType,
    version: members.text('version'),
    selectors: selectorsOf(members),
    metadata: members.objectAt('metadata') ?? {},
    rest: members.rest(),
  };
}

function selectorsOf(members: Members): JsonObject[] {
  const given = members.value('selectors');
  if (Array.isArray(given) || given === undefined) return members.list('selectors') ?? [];
  const only = members.objectAt('selectors');
  return only ? [only] : [];
}

function typeOf(kind: string, subType: string): string {
  if (kind === 'edge') return NON_BINDING.has(subType) ? 'non-binding' : 'binding';
  return kind === 'hierarchical' && subType === 'sibling' ? 'sibling' : kind === 'hierarchical' ? 'parent' : kind;
}
