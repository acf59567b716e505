import { type ManagedFields, type ObjectMetadata } from './kubernetes-object.js';

/** Name under which the API server keeps the fields that this server applies. */
export const FIELD_MANAGER = 'armature';

export const OWNER_LABEL_PREFIX = 'armature.dev/';
export const OWNER_PARTS = ['installation', 'design', 'environment', 'connection'] as const;

/** An owner as the labels of an object name it, which anyone may have written. */
export type LabelledOwner = Partial<Record<(typeof OWNER_PARTS)[number], string>>;

/** Undefined when the object carries no owner. */
export function parseOwnerLabels(object: ObjectMetadata): LabelledOwner | undefined {
  const labels = object.metadata.labels ?? {};
  const parts = OWNER_PARTS.flatMap((part) => {
    const value = labels[OWNER_LABEL_PREFIX + part];
    return value === undefined ? [] : [[part, value] as const];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

/** What this server applied to the object, as the API server keeps it. */
export function findAppliedFields(object: ObjectMetadata): ManagedFields | undefined {
  return object.metadata.managedFields?.find(
    (entry) => entry.manager === FIELD_MANAGER && entry.operation === 'Apply' && !entry.subresource,
  );
}
