import { type Json, isObject, type JsonObject } from '../../../core/json/json.js';

/** Keys of a service whose later value replaces the earlier one as a whole. */
const REPLACED_KEYS = new Set(['command', 'entrypoint', 'healthcheck.test']);

/** The identity of list items: the later of two equal items replaces the earlier. */
const ITEM_IDENTITIES: Record<string, (item: JsonObject) => unknown[]> = {
  ports: (item) => [item.target, item.published, item.protocol, item.host_ip],
  volumes: (item) => [item.target],
  configs: (item) => [item.target ?? item.source],
  secrets: (item) => [item.target ?? item.source],
  devices: (item) => [item.target],
  env_file: (item) => [item.path],
};

/**
 * A service (in its long form) merged with a later definition of it, as the Compose specification merges files and `extends`:
 * mappings are merged by key, lists are concatenated, and everything else is replaced.
 */
export function mergeService(base: JsonObject, over: JsonObject): JsonObject {
  return mergeObjects(base, over, []);
}

/** As `mergeService`, for a network, volume, config, secret or model. */
export function mergeResource(base: JsonObject, over: JsonObject): JsonObject {
  return mergeObjects(base, over, ['']);
}

/** The object without the values at these paths. */
export function withoutPaths(object: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]): [string, Json][] => {
      const below = paths.filter(([first]) => first === key).map((path) => path.slice(1));
      if (below.some((path) => path.length === 0)) return [];
      return [[key, isObject(value) && below.length > 0 ? withoutPaths(value, below) : value]];
    }),
  );
}

function mergeObjects(base: JsonObject, over: JsonObject, path: readonly string[]): JsonObject {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const earlier = merged.get(key);
    merged.set(key, earlier === undefined ? value : mergeValues(earlier, value, [...path, key]));
  }
  return Object.fromEntries(merged);
}

function mergeValues(base: Json, over: Json, path: readonly string[]): Json {
  const key = path.join('.');
  if (REPLACED_KEYS.has(key)) return over;
  if (over === null) return base;
  if (Array.isArray(base) && Array.isArray(over)) return mergeLists(base, over, key);
  if (!isObject(base) || !isObject(over)) return over;
  if (key === 'logging' && over.driver !== undefined && over.driver !== base.driver) return over;
  return mergeObjects(base, over, path);
}

function mergeLists(base: Json[], over: Json[], key: string): Json[] {
  const identity = Object.hasOwn(ITEM_IDENTITIES, key) ? ITEM_IDENTITIES[key] : undefined;
  const items = new Map<string, Json>();
  for (const item of [...base, ...over]) {
    items.set(JSON.stringify(identity && isObject(item) ? identity(item) : item), item);
  }
  return [...items.values()];
}
