import { isObject, type JsonObject, objectOf } from '../../formats/located.js';
import { type Finding, type Verdict } from './finding.js';
import { type CompiledSchema, validate } from './validate.js';

export interface ResourceType {
  apiVersion: string;
  kind: string;
}

const ENVELOPE = ['apiVersion', 'kind', 'metadata', 'spec', 'status', 'data'];
const OF_KUBERNETES = /^(?!helm\.sh\/)(?:[^/]+\/)?v\d+(?:(?:alpha|beta)\d+)?$/;

/**
 * Judges a resource by what its component's schema describes: the whole of it or, in models that were made by older tools,
 * its `spec` alone. Only types that an API server could serve are held to what it asks of every resource.
 */
export function judge(resource: JsonObject, compiled: CompiledSchema, type: ResourceType): Verdict {
  const { spec } = resource;
  if (isObject(spec) && describesSpec(compiled.schema)) {
    const { errors, warnings } = validate(spec, compiled, { embedded: true });
    return { errors: errors.map(below), warnings: warnings.map(below) };
  }
  return validate(resource, compiled, OF_KUBERNETES.test(type.apiVersion) ? { type } : {});
}

function describesSpec(schema: JsonObject): boolean {
  const members = Object.keys(objectOf(schema['properties']));
  return members.length > 0 && !members.some((member) => ENVELOPE.includes(member)) && !marksType(schema);
}

const marksType = (schema: JsonObject): boolean => schema['x-kubernetes-group-version-kind'] !== undefined;

const below = (finding: Finding): Finding => ({ ...finding, pointer: `/spec${finding.pointer}` });
