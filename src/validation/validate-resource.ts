import { roundLargeIntegers } from '../core/json/large-integers.js';
import { isObject, type JsonObject, asObject } from '../core/json/json.js';
import { type Finding, type ValidationResult } from './schema/findings.js';
import { type CompiledSchema, validateBySchema } from './validate-by-schema.js';

export interface ResourceTypeMeta {
  apiVersion: string;
  kind: string;
}

const ENVELOPE_MEMBERS = ['apiVersion', 'kind', 'metadata', 'spec', 'status', 'data'];
const KUBERNETES_API_VERSION = /^(?!helm\.sh\/)(?:[^/]+\/)?v\d+(?:(?:alpha|beta)\d+)?$/;

/**
 * Validates a resource against the schema of its component, which describes the whole resource or, in models of older tools, only its
 * `spec`. The rules for every Kubernetes resource apply only to types that an API server could serve.
 */
export function validateResource(
  given: JsonObject,
  compiled: CompiledSchema,
  type: ResourceTypeMeta,
): ValidationResult {
  const resource = roundLargeIntegers(given);
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
