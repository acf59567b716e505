import { clusterText, CUT } from '../../kubernetes/clusters/cluster-text.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';

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

/** A message of the cluster about an object, without the secret values of the object that it repeats. */
export function withoutSecrets(message: string, object: KubernetesObject): string {
  const secrets = [...secretsIn(object.kind, [], object)].filter((value) => value.length >= 3);
  if (secrets.length > 0 && message.endsWith(CUT))
    return 'The cluster says more than can be shown without secret values';
  // What was taken out of the message is missing from values that it repeats.
  const safe = secrets
    .flatMap((value) => [value, clusterText(value, value.length)])
    .filter((value) => value.length >= 3)
    .sort((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, HIDDEN), message);
  return object.kind === 'Secret' ? safe.replace(/(Invalid value: |\bValue:)[^]*/, `$1${HIDDEN}`) : safe;
}

function* secretsIn(kind: string, path: string[], value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) yield* secretsIn(kind, [...path, name], one);
  } else if (isSecret(kind, path) && (typeof value === 'string' || typeof value === 'number')) {
    yield String(value);
    if (kind === 'Secret') yield Buffer.from(String(value), 'base64').toString('utf8');
  }
}
