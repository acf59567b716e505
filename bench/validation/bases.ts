import { isObject, type Json, type JsonObject } from '../../src/core/json/json.js';
import type { ApiServer, Kind } from './api-server.js';
import { instanceOf } from './instances.js';
import { changed } from './places.js';
import type { Random } from './random.js';

const ROUNDS = 15;

/** The object as the harness creates it: in the namespace that there is, under a name of its own. */
export function housed(object: JsonObject, kind: Kind): JsonObject {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const { namespace: _namespace, ...rest } = metadata;
  return {
    ...object,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { ...rest, ...(kind.namespaced ? { namespace: 'default' } : {}) },
  };
}

/** Objects that the server takes, made from the schema: one bare, one rich. */
export async function madeBases(
  server: ApiServer,
  kind: Kind,
  schema: JsonObject,
  random: Random,
): Promise<JsonObject[]> {
  const bases: JsonObject[] = [];
  for (const share of [0.15, 0.7]) {
    const made = instanceOf(schema, random, share);
    const object = housed({ ...(made as JsonObject), metadata: { name: 'example' } }, kind);
    const base = await repaired(server, kind, object);
    if (base && !bases.some((known) => JSON.stringify(known) === JSON.stringify(base))) bases.push(base);
  }
  return bases;
}

/** Takes away what the server complains about until it complains no more. */
async function repaired(server: ApiServer, kind: Kind, object: JsonObject): Promise<JsonObject | undefined> {
  let current = object;
  for (let round = 0; round < ROUNDS; round++) {
    const { isValid, places } = await server.judge(kind, current);
    if (isValid) return current;
    const before = JSON.stringify(current);
    for (const place of places) current = without(current, place);
    if (JSON.stringify(current) === before) return undefined;
  }
  return undefined;
}

/** Without the optional thing at a place, or the nearest around it that is there. */
function without(object: JsonObject, place: string): JsonObject {
  const steps = place
    .replace(/\[([^\]]*)\]/g, '.$1')
    .split('.')
    .filter((step) => step !== '');
  const path: (string | number)[] = [];
  let value: Json = object;
  for (const step of steps) {
    const next: Json | undefined = Array.isArray(value)
      ? value[Number(step)]
      : isObject(value)
        ? value[step]
        : undefined;
    if (next === undefined) break;
    path.push(Array.isArray(value) ? Number(step) : step);
    value = next;
  }
  return path.length > 1 ? changed(object, path, undefined) : object;
}
