import { isObject } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { SEALED_VALUE } from '../../formats/design-file/secret-values.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import type { ResourceError } from './planned-resource.js';

export const SECRET_VALUES_NEEDED = 'SECRET_VALUES_NEEDED';

/** The keys of a Secret whose values were read from a cluster, and of which the design has placeholders only. */
export function findSealedKeys({ apiVersion, kind, data }: KubernetesObject): string[] {
  if (kind !== 'Secret' || apiVersion !== 'v1' || !isObject(data)) return [];
  return Object.keys(data).filter((key) => data[key] === SEALED_VALUE);
}

/** The values of a Secret that the design was read from a cluster with; undefined where it has none, or may not have them. */
export type FindSealedValues = (of: {
  name: string;
  namespace?: string;
}) => Promise<Record<string, string> | undefined>;

/**
 * A Secret with the values of the live one in place of placeholders, so that deploying leaves them as they are; of keys that the live one
 * does not have, with those that were read with the design. A key whose value is in neither is an error. With values of the live one it
 * can be applied only while that is as it was read, so that a value that is changed meanwhile stays.
 */
export async function fillSealedValues(
  desired: KubernetesObject,
  live: KubernetesObject | undefined,
  findKept: FindSealedValues | undefined,
): Promise<{ filled: KubernetesObject; error?: ResourceError }> {
  const keys = findSealedKeys(desired);
  const data: Record<string, unknown> = isObject(live?.['data']) ? live['data'] : {};
  const isKnown = keys.every((key) => data[key] !== undefined);
  const known = isKnown ? data : { ...(await findKept?.(desired.metadata)), ...data };
  const missing = keys.filter((key) => known[key] === undefined);
  const values = keys.flatMap((key) => (known[key] === undefined ? [] : [[key, known[key]] as const]));
  const resourceVersion = keys.some((key) => data[key] !== undefined) ? live?.metadata.resourceVersion : undefined;
  const filled = {
    ...desired,
    metadata: { ...desired.metadata, ...(resourceVersion && { resourceVersion }) },
    data: { ...(desired['data'] as object), ...Object.fromEntries(values) },
  };
  return missing.length === 0 ? { filled } : { filled, error: valuesNeeded(missing) };
}

const valuesNeeded = (keys: readonly string[]): ResourceError => ({
  reason: SECRET_VALUES_NEEDED,
  field: keys.map((key) => toPointer('data', key)).join(', '),
  detail: `the values of ${keys.join(', ')} were read from another place and are sealed`,
  remedy: 'Enter the values in the Secret of the design, or create the Secret there first.',
});
