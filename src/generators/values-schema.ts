import { isObject, type Json, type JsonObject } from '../core/json/json.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import { type ValuesComments } from './values-comments.js';

const NODE = 3;
/** JSON types by their names in helm-docs. */
const TYPES = new Map([
  ...['int', 'integer'].map((word) => [word, 'integer'] as const),
  ...['float', 'number'].map((word) => [word, 'number'] as const),
  ...['bool', 'boolean'].map((word) => [word, 'boolean'] as const),
  ...['string', 'tpl', 'path'].map((word) => [word, 'string'] as const),
  ...['list', 'array'].map((word) => [word, 'array'] as const),
  ...['object', 'dict', 'map'].map((word) => [word, 'object'] as const),
]);

/** Infers a schema from the default values of a chart: types, defaults and descriptions. Nothing is required, and additional values are allowed. */
export function inferSchema(document: LocatedDocument, comments: ValuesComments): JsonObject {
  const { value, positions: places } = document.data;
  // Positions are in walk order, so nodes are counted instead of looked up.
  let node = 0;
  const infer = (of: Json, path: string): JsonObject => {
    const line = places[node * NODE] ?? 1;
    const after = places[node * NODE + 2] ?? node + 1;
    const comment = path === '' ? undefined : comments.find(line, path);
    const schema: JsonObject = comment?.description ? { description: comment.description } : {};
    node += 1;
    if (isObject(of) && Object.keys(of).length > 0) {
      const properties = Object.entries(of).map(([key, member]): [string, Json] => {
        return [key, infer(member, path === '' ? key : `${path}.${key}`)];
      });
      return { ...schema, type: 'object', properties: Object.fromEntries(properties) };
    }
    node = after;
    const type = schemaTypeOf(of) ?? TYPES.get(comment?.type ?? '');
    return { ...schema, ...(type === undefined ? {} : { type }), default: of, ...inferItems(of) };
  };
  return infer(value, '');
}

/** Undefined for null, which allows any value. */
function schemaTypeOf(value: Json): string | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** A schema of items only if all have the same scalar type: mixed lists and objects may be incomplete examples. */
function inferItems(value: Json): JsonObject {
  if (!Array.isArray(value) || value.length === 0) return {};
  const types = new Set(value.map((item) => (isObject(item) || Array.isArray(item) ? undefined : schemaTypeOf(item))));
  const [type] = types;
  return types.size === 1 && type !== undefined ? { items: { type } } : {};
}
