import { roundLargeIntegers } from '../core/json/large-integers.js';
import { isObject, type Json, type JsonObject, asObject } from '../core/json/json.js';
import { MASKED, replaceSecrets } from '../formats/design-file/secret-values.js';
import { type Finding, type ValidationResult } from './schema/findings.js';
import { type CompiledSchema, validateBySchema } from './validate-by-schema.js';

export interface ResourceTypeMeta {
  apiVersion: string;
  kind: string;
}

const ENVELOPE_MEMBERS = ['apiVersion', 'kind', 'metadata', 'spec', 'status', 'data'];
const KUBERNETES_API_VERSION = /^(?!helm\.sh\/)(?:[^/]+\/)?v\d+(?:(?:alpha|beta)\d+)?$/;

/**
 * Validates a resource as `findFaults` does, without the values of Secrets in any message: a finding that a copy without these
 * values does not have is worded as the copy's, or says only that the value is hidden.
 */
export function validateResource(
  given: JsonObject,
  compiled: CompiledSchema,
  type: ResourceTypeMeta,
): ValidationResult {
  const resource = roundLargeIntegers(given);
  const result = findFaults(resource, compiled, type);
  if (result.errors.length + result.warnings.length === 0) return result;
  const masked = replaceSecrets(type.kind, resource, toPlaceholder);
  if (masked === resource) return result;
  const safe = findFaults(masked, compiled, type);
  return {
    errors: result.errors.map((finding) => withoutValues(finding, safe.errors)),
    warnings: result.warnings.map((finding) => withoutValues(finding, safe.warnings)),
  };
}

/** Another value of the same type. */
const toPlaceholder = (value: Json): Json =>
  typeof value === 'string' ? MASKED : typeof value === 'number' ? 0 : typeof value === 'boolean' ? false : value;

function withoutValues(finding: Finding, safe: Finding[]): Finding {
  const alike = safe.filter(({ pointer, keyword }) => pointer === finding.pointer && keyword === finding.keyword);
  const same = alike.find(({ detail }) => detail === finding.detail) ?? alike[0];
  return same ?? { ...finding, detail: `breaks the rule ${finding.keyword}; the value is hidden` };
}

/**
 * Validates a resource against the schema of its component, which describes the whole resource or, in models of older tools, only its
 * `spec`. The rules for every Kubernetes resource apply only to types that an API server could serve.
 */
function findFaults(resource: JsonObject, compiled: CompiledSchema, type: ResourceTypeMeta): ValidationResult {
  const { spec } = resource;
  if (isObject(spec) && describesSpec(compiled.schema)) {
    const { errors, warnings } = validateBySchema(spec, compiled, { embedded: true });
    return { errors: errors.map(withinSpec), warnings: warnings.map(withinSpec) };
  }
  return validateBySchema(resource, compiled, KUBERNETES_API_VERSION.test(type.apiVersion) ? { type } : {});
}

function describesSpec(schema: JsonObject): boolean {
  const members = Object.keys(asObject(schema['properties']));
  return (
    members.length > 0 && !members.some((member) => ENVELOPE_MEMBERS.includes(member)) && !hasGroupVersionKind(schema)
  );
}

const hasGroupVersionKind = (schema: JsonObject): boolean => schema['x-kubernetes-group-version-kind'] !== undefined;

const withinSpec = (finding: Finding): Finding => ({ ...finding, pointer: `/spec${finding.pointer}` });
