import { isObject, type JsonObject, asObject, asText } from '../core/json/json.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import { toPointer } from '../core/json/json-pointer.js';
import { type GenerationCollector } from './generation-collector.js';

/** The parts of an OpenAPI document from which components are generated. */
export interface OpenApiDocument {
  document: LocatedDocument;
  title: string;
  version: string;
  description: string;
  info: JsonObject;
  paths: JsonObject;
  /** JSON Pointer to the object of schemas by name. */
  at: string;
  schemas: JsonObject;
}

/** Whether a document is OpenAPI, even if invalid; `definitions` alone suffice when they are those of Kubernetes. */
export function looksLikeOpenApi(document: LocatedDocument): boolean {
  const { object } = document;
  if (!object) return false;
  if (object['openapi'] !== undefined || object['swagger'] !== undefined) return true;
  return Object.values(asObject(object['definitions'])).some(
    (schema) => isObject(schema) && readGroupVersionKinds(schema).length > 0,
  );
}

/** Reads an OpenAPI document (2.0, 3.0, 3.1 or 3.2), or `definitions` of Kubernetes alone. Undefined for an invalid one, with the fault in `contents`. */
export function readOpenApi(document: LocatedDocument, contents: GenerationCollector): OpenApiDocument | undefined {
  const root = document.object ?? {};
  const { openapi, swagger } = root;
  const refuse = (pointer: string, detail: string, remedy: string): undefined => {
    contents.addFault('file', { document, pointer }, detail, remedy);
    return undefined;
  };
  const versions = 'Write openapi: "3.1.0" or "3.0.3", or swagger: "2.0".';
  if (openapi !== undefined && swagger !== undefined) {
    return refuse(
      '/swagger',
      'claims to be OpenAPI 3 and Swagger 2.0 at once',
      'Keep only the field of the format that the document has.',
    );
  }
  if (openapi !== undefined && !/^3(?:\.[012](?:\.|$)|$)/.test(String(scalar(openapi)))) {
    return refuse('/openapi', 'is not a version of OpenAPI 3 that is known here', versions);
  }
  if (swagger !== undefined && !/^2(?:\.0)?$/.test(String(scalar(swagger)))) {
    return refuse('/swagger', 'is not 2.0', versions);
  }
  const at = openapi === undefined ? '/definitions' : '/components/schemas';
  const holder = openapi === undefined ? root['definitions'] : asObject(root['components'])['schemas'];
  if (!isObject(holder) || Object.keys(holder).length === 0) {
    return refuse(at, `has no schemas below ${at}`, 'Describe the objects of the API there; each becomes a component.');
  }
  const info = asObject(root['info']);
  const [title, version, description] = [asText(info['title']), scalar(info['version']), asText(info['description'])];
  return {
    document,
    title,
    version: String(version),
    description,
    info,
    paths: asObject(root['paths']),
    at,
    schemas: holder,
  };
}

/** A group, version and kind of Kubernetes. */
export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** `x-kubernetes-group-version-kind` of a schema or an operation, without malformed entries. */
export function readGroupVersionKinds(value: JsonObject): GroupVersionKind[] {
  const given = value['x-kubernetes-group-version-kind'];
  return (Array.isArray(given) ? given : [given]).flatMap((item) => {
    if (!isObject(item)) return [];
    const { group, version, kind } = item;
    const sound = typeof group === 'string' && typeof version === 'string' && typeof kind === 'string';
    return sound && version !== '' && /^[A-Za-z]\w*$/.test(kind) ? [{ group, version, kind }] : [];
  });
}

/** `apps/v1`, or `v1` for the core group. */
export function formatApiVersion({ group, version }: { group: string; version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

/** JSON Pointer to a schema by its name. */
export function schemaPointerOf({ at }: OpenApiDocument, name: string): string {
  return at + toPointer(name);
}

function scalar(value: unknown): string | number {
  return typeof value === 'string' || typeof value === 'number' ? value : '';
}
