import { isObject, type Json, type JsonObject, asText } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { type DefinitionFault } from '../../formats/definitions/definitions.js';

export type DefinitionEntity = Exclude<DefinitionFault['entity'], 'file'>;

/** A definition as it is in a file, before validation. */
export interface RawDefinition {
  entity: DefinitionEntity;
  /** In the form of core.meshery.io/v1alpha1, which has no schemaVersion. */
  older: boolean;
  value: JsonObject;
  path: string;
  /** Number of the document in its file, from 1. */
  document: number;
  /** Pointer to the definition in its document. */
  pointer: string;
}

const CURRENT_SCHEMA = /^(model|component|relationship|connection)s\.meshery\.io\/v\d/;
const EMBEDDED_MEMBERS = [
  ['components', 'component'],
  ['relationships', 'relationship'],
] as const;
const OLDER_SCHEMA = /^core\.(?:meshery\.io|meshmodel\.dev)\/v\d/;

/** The definitions in a document: one, a list of them, or a model with nested ones. Anything else has none. */
export function findRawDefinitions(value: Json, path: string, document: number): RawDefinition[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => collectDefinitions(item, { path, document, pointer: toPointer(index) }));
  }
  return collectDefinitions(value, { path, document, pointer: '' });
}

function collectDefinitions(value: Json, place: Pick<RawDefinition, 'path' | 'document' | 'pointer'>): RawDefinition[] {
  const sort = isObject(value) ? classifyDefinition(value) : undefined;
  if (!isObject(value) || sort === undefined) return [];
  const found: RawDefinition[] = [{ ...sort, value, ...place }];
  if (sort.entity !== 'model') return found;
  for (const [name, entity] of EMBEDDED_MEMBERS) {
    const members = value[name];
    if (!Array.isArray(members)) continue;
    for (const [index, member] of members.entries()) {
      if (!isObject(member)) continue;
      const pointer = place.pointer + toPointer(name, index);
      found.push({ entity, older: classifyDefinition(member)?.older ?? false, value: member, ...place, pointer });
    }
  }
  return found;
}

function classifyDefinition(value: JsonObject): { entity: DefinitionEntity; older: boolean } | undefined {
  const schemaVersion = asText(value['schemaVersion']);
  const current = CURRENT_SCHEMA.exec(schemaVersion);
  if (current) return { entity: current[1] as DefinitionEntity, older: false };
  const apiVersion = asText(value['apiVersion']);
  if (schemaVersion !== '' || apiVersion === '' || !isObject(value['model'])) return undefined;
  if (OLDER_SCHEMA.test(apiVersion) && 'selectors' in value && !('schema' in value)) {
    return { entity: 'relationship', older: true };
  }
  return asText(value['kind']) === '' ? undefined : { entity: 'component', older: true };
}
