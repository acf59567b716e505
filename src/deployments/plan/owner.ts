import {
  type KubernetesObject,
  type ManagedFields,
  type ObjectMetadata,
} from '../../kubernetes/clusters/kubernetes-object.js';

/** Whose an object is: this installation's deployment of one design, into one environment, through one connection. All are UUIDs. */
export interface Owner {
  installation: string;
  design: string;
  /** Null when the design was deployed to a connection without naming an environment. */
  environment: string | null;
  connection: string;
}

/** Name under which the API server keeps the fields that this server applies. */
export const FIELD_MANAGER = 'armature';

const PREFIX = 'armature.dev/';
const OWNER_PARTS = ['installation', 'design', 'environment', 'connection'] as const;

export function ownerLabels(owner: Owner): Record<string, string> {
  return Object.fromEntries(OWNER_PARTS.flatMap((part) => (owner[part] ? [[PREFIX + part, owner[part]]] : [])));
}

/** The labels without any owner's: those of a design that was exported from a cluster belong to that cluster. */
export function omitOwnerLabels(labels: Record<string, string>): Record<string, string> {
  const names = new Set<string>(OWNER_PARTS.map((part) => PREFIX + part));
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !names.has(name)));
}

export function ownerSelector(owner: Owner): string {
  return OWNER_PARTS.map((part) => (owner[part] ? `${PREFIX}${part}=${owner[part]}` : `!${PREFIX}${part}`)).join(',');
}

/**
 * Whether the object is this owner's. Labels alone do not tell: controllers copy them to what they make, as from a Service to
 * its EndpointSlices. So this server must have applied the object as well.
 */
export function isOwnedBy(owner: Owner, object: ObjectMetadata): boolean {
  const labels = object.metadata.labels ?? {};
  return (
    OWNER_PARTS.every((part) => labels[PREFIX + part] === (owner[part] ?? undefined)) &&
    findAppliedFields(object) !== undefined
  );
}

/** An owner as the labels of an object name it, which anyone may have written. */
export type LabelledOwner = Partial<Record<(typeof OWNER_PARTS)[number], string>>;

/** Undefined when the object carries no owner. */
export function parseOwnerLabels(object: ObjectMetadata): LabelledOwner | undefined {
  const labels = object.metadata.labels ?? {};
  const parts = OWNER_PARTS.flatMap((part) => {
    const value = labels[PREFIX + part];
    return value === undefined ? [] : [[part, value] as const];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

/** Whether the labels name this very owner. */
export function matchesOwner(owner: Owner, labelled: LabelledOwner): boolean {
  return OWNER_PARTS.every((part) => labelled[part] === (owner[part] ?? undefined));
}

/** What this server applied to the object, as the API server keeps it. */
export function findAppliedFields(object: ObjectMetadata): ManagedFields | undefined {
  return object.metadata.managedFields?.find(
    (entry) => entry.manager === FIELD_MANAGER && entry.operation === 'Apply' && !entry.subresource,
  );
}

/** The object as this owner wants it, labelled as its own. */
export function addOwnerLabels(owner: Owner, object: KubernetesObject): KubernetesObject {
  const labels = { ...omitOwnerLabels(object.metadata.labels ?? {}), ...ownerLabels(owner) };
  return { ...object, metadata: { ...object.metadata, labels } };
}

const HOOK_LABEL = `${PREFIX}hook`;
const HOOK_RUN_ANNOTATION = `${PREFIX}hook-run`;

/** The hook of a chart as its owner makes it: told from what is deployed, and neither pruned nor compared with it. */
export function addHookLabel(object: KubernetesObject, phase: string): KubernetesObject {
  const labels = { ...object.metadata.labels, [HOOK_LABEL]: phase };
  return { ...object, metadata: { ...object.metadata, labels } };
}

export const isHookObject = ({ metadata }: ObjectMetadata): boolean => metadata.labels?.[HOOK_LABEL] !== undefined;

/** The hook with what tells which run of it the object is. */
export function addHookRun(object: KubernetesObject, run: string): KubernetesObject {
  const annotations = { ...(object.metadata['annotations'] as object | undefined), [HOOK_RUN_ANNOTATION]: run };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export const getHookRun = ({ metadata }: ObjectMetadata): string | undefined =>
  (metadata['annotations'] as Record<string, string> | undefined)?.[HOOK_RUN_ANNOTATION];
