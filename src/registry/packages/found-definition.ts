import { isObject, type Json, type JsonObject, pointerTo, textOf } from '../../formats/located.js';
import { type DefinitionFault } from '../definition.js';

export type Entity = Exclude<DefinitionFault['entity'], 'file'>;

/** A definition as it stands in a file, before anything of it is checked. */
export interface FoundDefinition {
  entity: Entity;
  /** In the form of core.meshery.io/v1alpha1, which has no schemaVersion. */
  older: boolean;
  value: JsonObject;
  path: string;
  /** Number of the document in its file, from 1. */
  document: number;
  /** Leads to the definition from the top of its document. */
  pointer: string;
}

const CURRENT = /^(model|component|relationship|connection)s\.meshery\.io\/v\d/;
const IN_A_MODEL = [
  ['components', 'component'],
  ['relationships', 'relationship'],
] as const;
const OLDER = /^core\.(?:meshery\.io|meshmodel\.dev)\/v\d/;

/** The definitions in a document: one, a list of them, or a model that has others in it. Anything else is none. */
export function definitionsIn(value: Json, path: string, document: number): FoundDefinition[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => definitionsAt(item, { path, document, pointer: pointerTo(index) }));
  }
  return definitionsAt(value, { path, document, pointer: '' });
}

function definitionsAt(value: Json, place: Pick<FoundDefinition, 'path' | 'document' | 'pointer'>): FoundDefinition[] {
  const sort = isObject(value) ? sortOf(value) : undefined;
  if (!isObject(value) || sort === undefined) return [];
  const found: FoundDefinition[] = [{ ...sort, value, ...place }];
  if (sort.entity !== 'model') return found;
  for (const [name, entity] of IN_A_MODEL) {
    const members = value[name];
    if (!Array.isArray(members)) continue;
    for (const [index, member] of members.entries()) {
      if (!isObject(member)) continue;
      const pointer = place.pointer + pointerTo(name, index);
      found.push({ entity, older: sortOf(member)?.older ?? false, value: member, ...place, pointer });
    }
  }
  return found;
}

function sortOf(value: JsonObject): { entity: Entity; older: boolean } | undefined {
  const schemaVersion = textOf(value['schemaVersion']);
  const current = CURRENT.exec(schemaVersion);
  if (current) return { entity: current[1] as Entity, older: false };
  const apiVersion = textOf(value['apiVersion']);
  if (schemaVersion !== '' || apiVersion === '' || !isObject(value['model'])) return undefined;
  if (OLDER.test(apiVersion) && 'selectors' in value && !('schema' in value)) {
    return { entity: 'relationship', older: true };
  }
  return textOf(value['kind']) === '' ? undefined : { entity: 'component', older: true };
}
