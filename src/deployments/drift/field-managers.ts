import { hasField } from '../../kubernetes/clusters/field-set.js';
import {
  type KubernetesObject,
  type ManagedFields,
  managedFieldsOf,
} from '../../kubernetes/clusters/kubernetes-object.js';
import { FIELD_MANAGER } from '../plan/owner.js';

/** The last writer of a field by `managedFields`. */
export interface FieldWriter {
  manager: string;
  at: string | null;
}

/**
 * The other manager that owns the field at a path of the live object, by its managed fields (FieldsV1); null when no manager owns
 * it, for example after the field was removed.
 */
export function findFieldWriter(live: KubernetesObject, path: readonly string[]): FieldWriter | null {
  const others = managedFieldsOf(live).filter(
    ({ manager, operation }) => !(manager === FIELD_MANAGER && operation === 'Apply'),
  );
  const holders = others.filter((entry) => hasField(entry.fieldsV1, live, path));
  const [latest] = holders.sort((a, b) => toTime(b) - toTime(a));
  return latest?.manager ? { manager: latest.manager, at: latest.time ?? null } : null;
}

const toTime = ({ time }: ManagedFields): number => Date.parse(time ?? '') || 0;
