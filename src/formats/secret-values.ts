/** What stands in the place of a value that is not to be seen. */
export const HIDDEN = '(hidden)';

/** A copy of a whole Secret within an annotation of it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether the value at this path of an object of this kind is not to be seen: data of Secrets and values of environment variables. */
export function isSecret(kind: string, path: string[]): boolean {
  if (kind === 'Secret' && path.length > 1 && (path[0] === 'data' || path[0] === 'stringData')) return true;
  return path.at(-1) === LAST_APPLIED || (path.at(-1) === 'value' && path.at(-3) === 'env');
}

/** The value at a path as it may be shown. */
export function shown(kind: string, path: string[], value: unknown): unknown {
  if (value === undefined) return null;
  if (value !== null && isSecret(kind, path)) return HIDDEN;
  if (Array.isArray(value)) return value.map((one, index) => shown(kind, [...path, String(index)], one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(kind, [...path, name], one)]));
}
