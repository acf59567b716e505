import { type ManagedFields, type ObjectMetadata } from './kubernetes-object.js';

/** The field manager of this server. */
export const FIELD_MANAGER = 'armature';

export const OWNER_LABEL_PREFIX = 'armature.dev/';
export const OWNER_PARTS = ['installation', 'design', 'environment', 'connection'] as const;

/** An owner by the labels of an object, which anyone may have set. */
export type LabelledOwner = Partial<Record<(typeof OWNER_PARTS)[number], string>>;

/** Returns undefined when the object has no owner labels. */
export function parseOwnerLabels(object: ObjectMetadata): LabelledOwner | undefined {
  const labels = object.metadata.labels ?? {};
  const parts = OWNER_PARTS.flatMap((part) => {
    const value = labels[OWNER_LABEL_PREFIX + part];
    return value === undefined ? [] : [[part, value] as const];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

/** The managed-fields entry of this server's server-side apply. */
export function findAppliedFields(object: ObjectMetadata): ManagedFields | undefined {
  return object.metadata.managedFields?.find(
    (entry) => entry.manager === FIELD_MANAGER && entry.operation === 'Apply' && !entry.subresource,
  );
}
