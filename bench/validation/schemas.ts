import { isObject, type Json, type JsonObject } from '../../src/core/json/json.js';
import type { ApiServer } from './api-server.js';

const PREFIX = '#/components/schemas/';

/** The schemas of a group and version as the server publishes them, each with the definitions that it needs. */
export async function publishedSchemas(server: ApiServer, apiVersion: string): Promise<Map<string, JsonObject>> {
  const path = apiVersion.includes('/') ? `/openapi/v3/apis/${apiVersion}` : `/openapi/v3/api/${apiVersion}`;
  const { body } = await server.call('GET', path);
  const components = ((body['components'] as JsonObject | undefined)?.['schemas'] ?? {}) as Record<string, JsonObject>;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const schemas = new Map<string, JsonObject>();
  for (const schema of Object.values(components)) {
    const known = (schema['x-kubernetes-group-version-kind'] ?? []) as {
      group: string;
      version: string;
      kind: string;
    }[];
    const [own] = known.filter((type) => type.group === group && type.version === version);
    if (!own || known.length > 1) continue;
    const definitions: JsonObject = {};
    const rooted = local(schema, components, definitions) as JsonObject;
    schemas.set(own.kind, { ...rooted, definitions });
  }
  return schemas;
}

function local(part: Json, components: Record<string, JsonObject>, definitions: JsonObject): Json {
  if (Array.isArray(part)) return part.map((item) => local(item, components, definitions));
  if (!isObject(part)) return part;
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(part)) {
    if (key !== '$ref' || typeof value !== 'string') {
      copy[key] = local(value, components, definitions);
      continue;
    }
    const name = value.slice(PREFIX.length);
    copy['$ref'] = `#/definitions/${name}`;
    const target = components[name];
    if (target && !Object.hasOwn(definitions, name)) {
      definitions[name] = {};
      definitions[name] = local(target, components, definitions);
    }
  }
  return copy;
}
