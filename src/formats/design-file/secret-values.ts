/** The placeholder of a hidden value. */
export const MASKED = '(hidden)';

/** An annotation with a copy of a whole Secret. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether the value at this path of an object of this kind is hidden: data of Secrets and values of environment variables. */
export function isSecret(kind: string, path: string[]): boolean {
  if (kind === 'Secret' && path.length > 1 && (path[0] === 'data' || path[0] === 'stringData')) return true;
  return path.at(-1) === LAST_APPLIED || (path.at(-1) === 'value' && path.at(-3) === 'env');
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
  return maskValues((at) => isSecret(kind, at), path, value);
}

/** The value at a path without hidden values; null when there is none. */
export function maskValues(isHidden: (path: string[]) => boolean, path: string[], value: unknown): unknown {
  if (value === undefined) return null;
  if (value !== null && isHidden(path)) return MASKED;
  if (typeof value !== 'object' || value === null) return value;
  const inner = ([name, one]: [string, unknown]) => maskValues(isHidden, [...path, name], one);
  if (Array.isArray(value)) return Object.entries(value).map(inner);
  return Object.fromEntries(Object.entries(value).map((entry) => [entry[0], inner(entry)]));
}
