import { truncate } from '../../core/errors/app-error.js';
import { type JsonObject, asText } from '../../core/json/json.js';
import type { EffectiveComponent } from '../components/components.store.js';
import { type ValidationResult } from '../../validation/schema/findings.js';
import { validateResource, type ResourceTypeMeta } from '../../validation/validate-resource.js';
import { getCompiledSchema } from '../../validation/validation-task.js';

export interface ResourceValidation extends ValidationResult {
  valid: boolean;
  /** The definition whose schema was used; null when the registry has none. */
  definition: { id: string; kind: string; apiVersion: string; model: { name: string; version: string } } | null;
}

/** A definition without its schema, which is identified by its hash. */
export type ComponentDigest = Omit<EffectiveComponent, 'schema'>;

/** The definitions of the registry for some types. */
export interface KnownComponents {
  definitions: ComponentDigest[];
  /** JSON Schemas as text, by digest. */
  schemas: ReadonlyMap<string, string>;
}

/** Characters of a type that a message quotes. */
const MAX_TYPE_LENGTH = 255;

export const WITHOUT_SCHEMA: ValidationResult = {
  errors: [],
  warnings: [{ pointer: '', detail: 'its component has no schema', keyword: 'no-schema' }],
};

export const readTypeMeta = (resource: JsonObject): ResourceTypeMeta => ({
  apiVersion: asText(resource['apiVersion']),
  kind: asText(resource['kind']),
});

/** A kind that the registry does not know is valid, with a warning. */
export function unknownKind({ apiVersion, kind }: ResourceTypeMeta, model?: string): ResourceValidation {
  const where = model ? `the model ${model} has no enabled component` : 'the registry has no enabled component';
  const type = `${truncate(kind, MAX_TYPE_LENGTH)} of ${truncate(apiVersion, MAX_TYPE_LENGTH)}`;
  const detail = `${where} ${type}, so it was not validated`;
  const warning = { pointer: '/kind', detail, keyword: 'unknown-kind' };
  return { valid: true, errors: [], warnings: [warning], definition: null };
}

export function toResourceValidation(
  definition: ComponentDigest,
  { errors, warnings }: ValidationResult,
): ResourceValidation {
  const { id, kind, apiVersion, modelName, modelVersion } = definition;
  const model = { name: modelName, version: modelVersion };
  return { valid: errors.length === 0, errors, warnings, definition: { id, kind, apiVersion, model } };
}

/** Validates many resources against the definitions of their types, in their order. Slow: for tasks. */
export function validateResources(
  resources: readonly JsonObject[],
  { definitions, schemas }: KnownComponents,
): ResourceValidation[] {
  const found = new Map(definitions.map((definition) => [typeKey(definition), definition]));
  return resources.map((resource) => {
    const type = readTypeMeta(resource);
    const definition = found.get(typeKey(type));
    if (!definition) return unknownKind(type);
    const schema = definition.schemaDigest ? schemas.get(definition.schemaDigest) : undefined;
    return toResourceValidation(
      definition,
      schema ? validateResource(resource, getCompiledSchema(schema), type) : WITHOUT_SCHEMA,
    );
  });
}

const typeKey = ({ kind, apiVersion }: ResourceTypeMeta): string => `${kind} ${apiVersion}`;
