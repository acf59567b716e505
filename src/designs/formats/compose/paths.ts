import { posix } from 'node:path';
import { type Json, isObject, type JsonObject } from '../../../core/json/json.js';

/** The path in the archive that a path of a Compose file refers to, or undefined when it leads outside. */
export function resolveInArchive(directory: string, path: string): string | undefined {
  if (path.includes('\\') || isElsewhere(path)) return undefined;
  const joined = posix.normalize(posix.join(directory, path)).replace(/\/$/, '');
  return joined === '..' || joined.startsWith('../') ? undefined : joined;
}

/** The directory of a path; the top is the empty string. */
export function directoryOf(path: string): string {
  const directory = posix.dirname(path);
  return directory === '.' ? '' : directory;
}

/** Makes relative paths of a service relative to the project directory, when its file lies elsewhere. */
export function rebasePaths(service: JsonObject, directory: string): JsonObject {
  if (directory === '' || directory === '.') return service;
  const path = (value: Json | undefined): Json => rebase(value ?? null, directory);
  const within = (value: Json | undefined, key: string): Json =>
    isObject(value) && value[key] !== undefined ? { ...value, [key]: path(value[key]) } : (value ?? null);
  const each = (value: Json | undefined, change: (item: Json) => Json): Json =>
    Array.isArray(value) ? value.map(change) : (value ?? null);
  const changes: Record<string, (value: Json) => Json> = {
    build: (value) => within(value, 'context'),
    env_file: (value) => each(value, (item) => within(item, 'path')),
    label_file: (value) => each(value, path),
    credential_spec: (value) => within(value, 'file'),
    volumes: (value) => each(value, (item) => (isObject(item) && item.type === 'bind' ? within(item, 'source') : item)),
    develop: (value) =>
      isObject(value) ? { ...value, watch: each(value.watch, (item) => within(item, 'path')) } : value,
  };
  return Object.fromEntries(
    Object.entries(service).map(([key, value]) => [
      key,
      Object.hasOwn(changes, key) ? (changes[key]?.(value) ?? value) : value,
    ]),
  );
}

/** As `rebasePaths`, for a config or secret that is read from a file. */
export function rebaseResource(resource: JsonObject, directory: string): JsonObject {
  if (directory === '' || directory === '.' || resource.file === undefined) return resource;
  return { ...resource, file: rebase(resource.file, directory) };
}

function rebase(path: Json, directory: string): Json {
  if (typeof path !== 'string' || isElsewhere(path)) return path;
  const joined = posix.join(directory, path);
  return joined.startsWith('.') ? joined : `./${joined}`;
}

/** Absolute paths, home directories, Windows drives, URLs and Git remotes. */
function isElsewhere(path: string): boolean {
  return /^([/~]|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]*:|git@)/.test(path);
}
