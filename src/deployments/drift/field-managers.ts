import { hasField } from '../../kubernetes/clusters/field-set.js';
import type { KubernetesObject, ManagedFields } from '../../kubernetes/clusters/kubernetes-object.js';
import { FIELD_MANAGER } from '../plan/owner.js';

/** Who last wrote a field, as the API server knows it. */
export interface FieldWriter {
  manager: string;
  at: string | null;
}

/**
 * Who else wrote the field at a path of the live object, from its managed fields (FieldsV1); null when nobody holds it, such as
 * of a field that was removed.
 */
export function findFieldWriter(live: KubernetesObject, path: readonly string[]): FieldWriter | null {
  const others = (live.metadata.managedFields ?? []).filter(
    ({ manager, operation }) => !(manager === FIELD_MANAGER && operation === 'Apply'),
  );
  const holders = others.filter((entry) => hasField(entry.fieldsV1, live, path));
  const [latest] = holders.sort((a, b) => toTime(b) - toTime(a));
  return latest?.manager ? { manager: latest.manager, at: latest.time ?? null } : null;
}

const toTime = ({ time }: ManagedFields): number => Date.parse(time ?? '') || 0;
