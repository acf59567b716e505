/** What stands in the place of a value that is not to be seen. */
export const MASKED = '(hidden)';

/** A copy of a whole Secret within an annotation of it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether the value at this path of an object of this kind is not to be seen: data of Secrets and values of environment variables. */
export function isSecret(kind: string, path: string[]): boolean {
  if (kind === 'Secret' && path.length > 1 && (path[0] === 'data' || path[0] === 'stringData')) return true;
  return path.at(-1) === LAST_APPLIED || (path.at(-1) === 'value' && path.at(-3) === 'env');
}

/** What of a Compose file holds values of variables, or what is mounted as a secret. */
const SECRET_COMPOSE_KEYS = new Set(['environment', 'env_file', 'secrets', 'configs', 'args']);

/** The same for the metadata of a design or component, which keeps the Compose file or the values of the chart that it was made of. */
export function isSecretMetadata(path: readonly string[]): boolean {
  const [source, part] = path;
  if (source === 'helm') return part === 'values' && path.length > 2;
  return source === 'compose' && path.slice(1, -1).some((name) => SECRET_COMPOSE_KEYS.has(name));
}

/** The value at a path of an object of this kind, as it may be shown. */
export function maskSecrets(kind: string, path: string[], value: unknown): unknown {
  return maskValues((at) => isSecret(kind, at), path, value);
}

/** The value at a path without what is hidden; null when there is none. */
export function maskValues(isHidden: (path: string[]) => boolean, path: string[], value: unknown): unknown {
  if (value === undefined) return null;
  if (value !== null && isHidden(path)) return MASKED;
  if (typeof value !== 'object' || value === null) return value;
  const inner = ([name, one]: [string, unknown]) => maskValues(isHidden, [...path, name], one);
  if (Array.isArray(value)) return Object.entries(value).map(inner);
  return Object.fromEntries(Object.entries(value).map((entry) => [entry[0], inner(entry)]));
}
