import { isObject, type Json, type JsonObject } from '../../src/core/json/json.js';
import { toPointer } from '../../src/core/json/json-pointer.js';
import { SchemaSource, type SchemaNode } from '../../src/validation/schema/schema-node.js';

/** A value of an object with the schema that is for it. */
export interface Spot {
  path: (string | number)[];
  node: SchemaNode;
  value: Json;
  /** Whether the object around it must have it. */
  required: boolean;
}

/** All places of an object that its schema speaks of, from the root down; the envelope is left out. */
export function spotsOf(object: JsonObject, schema: JsonObject): Spot[] {
  const spots: Spot[] = [];
  const walk = (value: Json, node: SchemaNode, path: (string | number)[], required: boolean): void => {
    spots.push({ path, node, value, required });
    if (Array.isArray(value)) {
      const { items } = node;
      if (items) value.forEach((item, index) => walk(item, items, [...path, index], false));
    } else if (isObject(value)) {
      const { additional } = node;
      for (const [name, member] of Object.entries(value)) {
        if (path.length === 0 && ['apiVersion', 'kind', 'metadata', 'status'].includes(name)) continue;
        const child = node.property(name) ?? (typeof additional === 'object' ? additional : undefined);
        if (child) walk(member, child, [...path, name], node.required.includes(name));
      }
    }
  };
  walk(object, new SchemaSource(schema).node(schema), [], true);
  return spots;
}

/** A copy with another value at a path; undefined takes the member away. */
export function changed(object: JsonObject, path: (string | number)[], value: Json | undefined): JsonObject {
  const copy = structuredClone(object);
  let around: Json = copy;
  for (const step of path.slice(0, -1)) around = (around as JsonObject)[step] ?? null;
  const last = path.at(-1);
  if (last === undefined || typeof around !== 'object' || around === null) return copy;
  if (value === undefined) {
    if (Array.isArray(around)) around.splice(Number(last), 1);
    else delete around[String(last)];
  } else (around as JsonObject)[last] = value;
  return copy;
}

/** `spec.ports[0].name`, `spec.x[a.b]` or a pointer, without what differs between writers: brackets, quotes, numbers of items. */
export function comparable(place: string): string {
  if (place.startsWith('/'))
    return place
      .slice(1)
      .split('/')
      .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
      .join('.');
  return place
    .replace(/\[([^\]]*)\]/g, '.$1')
    .replace(/"/g, '')
    .replace(/^\.+/, '')
    .replace(/\.{2,}/g, '.');
}

export const pointerOf = (path: (string | number)[]): string => toPointer(...path);
