import { isObject, type Json } from '../../core/json/json.js';
import { isObjectCopy } from './object-copy.js';

/** The placeholder of a hidden value. */
export const MASKED = '(hidden)';

/**
 * Stands for a value of a Secret that was read from a cluster, and is shown to nobody; JSON in base64, since some types of Secrets hold
 * JSON only.
 */
export const SEALED_VALUE = Buffer.from('{"armature.dev/value":"sealed"}').toString('base64');

/**
 * Whether the value at this path of an object of this kind is hidden: data of Secrets, values of environment variables, and
 * annotations with copies of objects.
 */
export function isSecret(kind: string, path: readonly string[], value: unknown): boolean {
  if (kind === 'Secret' && path.length > 1 && (path[0] === 'data' || path[0] === 'stringData')) return true;
  if (path.at(-2) === 'annotations') return isObjectCopy(value);
  return path.at(-1) === 'value' && path.at(-3) === 'env';
}

/** Members of a Compose file with values of variables, or with mounted secrets. */
const SECRET_COMPOSE_KEYS = new Set(['environment', 'env_file', 'secrets', 'configs', 'args']);

/** The same for the metadata of a design or component, which contains its Compose file or chart values. */
export function isSecretMetadata(path: readonly string[]): boolean {
  const [source, part] = path;
  if (source === 'helm') return part === 'values' && path.length > 2;
  return source === 'compose' && path.slice(1, -1).some((name) => SECRET_COMPOSE_KEYS.has(name));
}

/** The value at a path of an object of this kind, redacted. */
export function maskSecrets(kind: string, path: string[], value: unknown): unknown {
  return maskValues((at, one) => isSecret(kind, at, one), path, value);
}

/** An object of this kind in which `replace` gives the hidden values; keys stay. The object itself when it has none. */
export function replaceSecrets<T>(kind: string, object: T, replace: (value: Json) => Json): T {
  const replaced = new Set<unknown>();
  const hide = (value: unknown): unknown => {
    replaced.add(value);
    return replaceScalars(value as Json, replace);
  };
  const result = maskValues((path, value) => isSecret(kind, path, value), [], object, hide);
  return replaced.size > 0 ? (result as T) : object;
}

function replaceScalars(value: Json, replace: (value: Json) => Json): Json {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((one) => replaceScalars(one, replace));
  if (!isObject(value)) return replace(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceScalars(one, replace)]));
}

/** The value at a path without hidden values; null when there is none. Parts without any are those of the value itself. */
export function maskValues(
  isHidden: (path: string[], value: unknown) => boolean,
  path: string[],
  value: unknown,
  hide: (value: unknown) => unknown = () => MASKED,
): unknown {
  const at = [...path];
  const mask = (one: unknown): unknown => {
    if (one === undefined) return null;
    if (one !== null && isHidden(at, one)) return hide(one);
    if (typeof one !== 'object' || one === null) return one;
    return Array.isArray(one) ? maskItems(one) : maskMembers(one as Record<string, unknown>);
  };
  const maskAt = (name: string, one: unknown): unknown => {
    at.push(name);
    const masked = mask(one);
    at.pop();
    return masked;
  };
  const maskItems = (items: unknown[]): unknown[] => {
    let masked: unknown[] | undefined;
    for (const [index, item] of items.entries()) {
      const found = maskAt(String(index), item);
      if (found !== item) (masked ??= [...items])[index] = found;
    }
    return masked ?? items;
  };
  const maskMembers = (members: Record<string, unknown>): Record<string, unknown> => {
    let masked: Record<string, unknown> | undefined;
    for (const name of Object.keys(members)) {
      const found = maskAt(name, members[name]);
      if (found !== members[name]) (masked ??= Object.fromEntries(Object.entries(members)))[name] = found;
    }
    return masked ?? members;
  };
  return mask(value);
}
