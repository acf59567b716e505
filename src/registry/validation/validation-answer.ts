import { type JsonObject, textOf } from '../../formats/located.js';
import type { Definition } from '../components/components.store.js';
import { type Verdict } from './finding.js';
import { judge, type ResourceType } from './judged-part.js';
import { compiled } from './validation-task.js';

export interface ValidationAnswer extends Verdict {
  valid: boolean;
  /** The definition whose schema was asked; null when the registry has none. */
  definition: { id: string; kind: string; apiVersion: string; model: { name: string; version: string } } | null;
}

/** A definition without its schema, which is told by its digest. */
export type KnownDefinition = Omit<Definition, 'schema'>;

/** What the registry knows of some types. */
export interface KnownTypes {
  definitions: KnownDefinition[];
  /** JSON Schemas as text, by digest. */
  schemas: ReadonlyMap<string, string>;
}

export const WITHOUT_SCHEMA: Verdict = {
  errors: [],
  warnings: [{ pointer: '', detail: 'its component has no schema', keyword: 'no-schema' }],
};

export const typeOf = (resource: JsonObject): ResourceType => ({
  apiVersion: textOf(resource['apiVersion']),
  kind: textOf(resource['kind']),
});

/** A kind that the registry does not know is valid, with a warning that says so. */
export function unknown({ apiVersion, kind }: ResourceType, model?: string): ValidationAnswer {
  const where = model ? `the model ${model} has no enabled component` : 'the registry has no enabled component';
  const detail = `${where} ${kind} of ${apiVersion}, so it was not judged`;
  const warning = { pointer: '/kind', detail, keyword: 'unknown-kind' };
  return { valid: true, errors: [], warnings: [warning], definition: null };
}

export function told(definition: KnownDefinition, { errors, warnings }: Verdict): ValidationAnswer {
  const { id, kind, apiVersion, modelName, modelVersion } = definition;
  const model = { name: modelName, version: modelVersion };
  return { valid: errors.length === 0, errors, warnings, definition: { id, kind, apiVersion, model } };
}

/** Judges many resources by what is known of their types, in their order. Takes its time: for tasks. */
export function judged(resources: readonly JsonObject[], { definitions, schemas }: KnownTypes): ValidationAnswer[] {
  const found = new Map(definitions.map((definition) => [keyOf(definition), definition]));
  return resources.map((resource) => {
    const type = typeOf(resource);
    const definition = found.get(keyOf(type));
    if (!definition) return unknown(type);
    const schema = definition.schemaDigest ? schemas.get(definition.schemaDigest) : undefined;
    return told(definition, schema ? judge(resource, compiled(schema), type) : WITHOUT_SCHEMA);
  });
}

const keyOf = ({ kind, apiVersion }: ResourceType): string => `${kind} ${apiVersion}`;
