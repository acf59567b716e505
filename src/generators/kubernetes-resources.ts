import { isObject, type Json, type JsonObject, asObject, asText } from '../core/json/json.js';
import { parsePointer } from '../core/json/json-pointer.js';
import { type GroupVersionKind, readGroupVersionKinds, type OpenApiDocument } from './openapi-document.js';

/** A resource of the Kubernetes API. */
export interface KubernetesResource extends GroupVersionKind {
  /** The name of its schema in the document. */
  schema: string;
  /** Undefined when the document has no paths of the resource. */
  isNamespaced?: boolean;
  plural?: string;
  subresources: string[];
}

const PATH_PATTERN = /^\/(?:api\/(?<core>[^/]+)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))\/(?<rest>.+?)\/?$/;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * The resources of an OpenAPI document of Kubernetes: kinds with apiVersion, kind and metadata that have their own path, which excludes lists,
 * options and subresources (Scale, Eviction). In a document without paths: kinds that have a list. Empty for any other document.
 */
export function readKubernetesResources(document: OpenApiDocument): KubernetesResource[] {
  const schemas = indexSchemasByKind(document);
  const found = new Map<string, KubernetesResource>();
  const subresources = new Map<string, Set<string>>();
  let routes = 0;
  for (const [path, item] of Object.entries(document.paths)) {
    const route = parseRoute(path);
    if (!route || !isObject(item)) continue;
    routes += 1;
    const { group, version, plural, isNamespaced, subresource } = route;
    const key = JSON.stringify([group, version, plural]);
    const known = found.get(key);
    if (subresource !== '') subresources.set(key, (subresources.get(key) ?? new Set()).add(subresource));
    else if (known) known.isNamespaced ||= isNamespaced;
    else {
      const [kind] = readOperations(item).flatMap(readGroupVersionKinds);
      const schema = kind ? schemas.get(keyOf(kind)) : findOperationSchema(item, document);
      if (schema === undefined) continue;
      const named = kind ?? { group, version, kind: schema.split('.').at(-1) ?? schema };
      found.set(key, { ...named, schema, isNamespaced, plural, subresources: [] });
    }
  }
  if (routes === 0) return resourcesWithLists(document, schemas);
  for (const [key, resource] of found) resource.subresources = [...(subresources.get(key) ?? [])].sort();
  return [...found.values()];
}

interface Route {
  group: string;
  version: string;
  plural: string;
  isNamespaced: boolean;
  subresource: string;
}

/** Parses `/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale`; undefined for other paths. */
function parseRoute(path: string): Route | undefined {
  const match = PATH_PATTERN.exec(path)?.groups;
  if (!match) return undefined;
  const segments = (match['rest'] ?? '').split('/');
  if (segments[0] === 'watch') return undefined;
  const isNamespaced = segments[0] === 'namespaces' && segments[1] === '{namespace}' && segments.length > 2;
  const [plural = '', name, ...below] = isNamespaced ? segments.slice(2) : segments;
  if (plural.startsWith('{') || (name !== undefined && !name.startsWith('{'))) return undefined;
  const subresource = below.filter((segment) => !segment.startsWith('{')).join('/');
  return {
    group: match['group'] ?? '',
    version: match['core'] ?? match['version'] ?? '',
    plural,
    isNamespaced,
    subresource,
  };
}

/** The names of the schemas of resources, by kind. */
function indexSchemasByKind({ schemas }: OpenApiDocument): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isObject(schema) || !isResource(schema)) continue;
    for (const kind of readGroupVersionKinds(schema)) if (!names.has(keyOf(kind))) names.set(keyOf(kind), name);
  }
  return names;
}

/** Whether a schema is that of a resource: lists have ListMeta, and options have no metadata. */
function isResource(schema: JsonObject): boolean {
  const properties = asObject(schema['properties']);
  if (!['apiVersion', 'kind', 'metadata'].every((name) => isObject(properties[name]))) return false;
  return !JSON.stringify(properties['metadata']).includes('.ListMeta"');
}

/** The schema that the operations of a path create or read; for operations without a kind. */
function findOperationSchema(item: JsonObject, { schemas }: OpenApiDocument): string | undefined {
  const body = asObject(item['post'])['parameters'];
  const response = asObject(asObject(asObject(item['get'])['responses'])['200']);
  const given = [...(Array.isArray(body) ? body : []), response].filter(isObject);
  for (const { schema } of given) {
    const name = parsePointer(asText(asObject(schema)['$ref'])).at(-1) ?? '';
    const found: Json | undefined = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (isObject(found) && isResource(found)) return name;
  }
  return undefined;
}

function readOperations(item: JsonObject): JsonObject[] {
  return METHODS.map((method) => item[method]).filter(isObject);
}

function resourcesWithLists(document: OpenApiDocument, resources: ReadonlyMap<string, string>): KubernetesResource[] {
  const all = new Set(Object.values(document.schemas).filter(isObject).flatMap(readGroupVersionKinds).map(keyOf));
  return [...resources].flatMap(([key, schema]) => {
    const kind = JSON.parse(key) as GroupVersionKind;
    const listed = all.has(keyOf({ ...kind, kind: `${kind.kind}List` }));
    return listed ? [{ ...kind, schema, subresources: [] }] : [];
  });
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return JSON.stringify({ group, version, kind });
}
