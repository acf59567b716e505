import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import {
  FIELD_MANAGER,
  findAppliedFields,
  type LabelledOwner,
  OWNER_LABEL_PREFIX as PREFIX,
  OWNER_PARTS,
  parseOwnerLabels,
} from '../../kubernetes/clusters/owner-labels.js';

export { FIELD_MANAGER, findAppliedFields, type LabelledOwner, parseOwnerLabels };

/**
 * The owner of an object: this installation's deployment of one design, into one environment, through one connection. All ids are
 * UUIDs.
 */
export interface Owner {
  installation: string;
  design: string;
  /** Null when the design was deployed to a connection without an environment. */
  environment: string | null;
  connection: string;
}

function ownerLabels(owner: Owner): Record<string, string> {
  return Object.fromEntries(OWNER_PARTS.flatMap((part) => (owner[part] ? [[PREFIX + part, owner[part]]] : [])));
}

/** The labels without owner labels. A design that was exported from a cluster contains those of its original owner. */
function omitOwnerLabels(labels: Record<string, string>): Record<string, string> {
  const names = new Set<string>(OWNER_PARTS.map((part) => PREFIX + part));
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !names.has(name)));
}

export function ownerSelector(owner: Owner): string {
  return OWNER_PARTS.map((part) => (owner[part] ? `${PREFIX}${part}=${owner[part]}` : `!${PREFIX}${part}`)).join(',');
}

/**
 * Whether the object belongs to this owner. Labels alone are no proof, because controllers copy them, as from a Service to its
 * EndpointSlices; this server must also be a field manager of the object.
 */
export function isOwnedBy(owner: Owner, object: ObjectMetadata): boolean {
  const labels = object.metadata.labels ?? {};
  return (
    OWNER_PARTS.every((part) => labels[PREFIX + part] === (owner[part] ?? undefined)) &&
    findAppliedFields(object) !== undefined
  );
}

/** Whether the labels identify this owner. */
export function matchesOwner(owner: Owner, labelled: LabelledOwner): boolean {
  return OWNER_PARTS.every((part) => labelled[part] === (owner[part] ?? undefined));
}

/** Whether the labels name no other owner. */
export function isFreeFor(owner: Owner, object: ObjectMetadata): boolean {
  const labelled = parseOwnerLabels(object);
  return !labelled || matchesOwner(owner, labelled);
}

/** The object with the labels of this owner. */
export function addOwnerLabels(owner: Owner, object: KubernetesObject): KubernetesObject {
  const labels = { ...omitOwnerLabels(object.metadata.labels ?? {}), ...ownerLabels(owner) };
  return { ...object, metadata: { ...object.metadata, labels } };
}

/** The object without an owner. */
export function withoutOwner(object: KubernetesObject): KubernetesObject {
  const { labels, ...metadata } = object.metadata;
  const left = omitOwnerLabels(labels ?? {});
  return { ...object, metadata: { ...metadata, ...(Object.keys(left).length > 0 && { labels: left }) } };
}

const HOOK_LABEL = `${PREFIX}hook`;
const HOOK_RUN_ANNOTATION = `${PREFIX}hook-run`;

/** Marks the object of a hook, which excludes it from pruning and from comparisons with deployed resources. */
export function addHookLabel(object: KubernetesObject, phase: string): KubernetesObject {
  const labels = { ...object.metadata.labels, [HOOK_LABEL]: phase };
  return { ...object, metadata: { ...object.metadata, labels } };
}

export const isHookObject = ({ metadata }: ObjectMetadata): boolean => metadata.labels?.[HOOK_LABEL] !== undefined;

/** Adds an annotation that identifies the run of the hook. */
export function addHookRun(object: KubernetesObject, run: string): KubernetesObject {
  const annotations = { ...(object.metadata['annotations'] as object | undefined), [HOOK_RUN_ANNOTATION]: run };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export const getHookRun = ({ metadata }: ObjectMetadata): string | undefined =>
  metadata['annotations']?.[HOOK_RUN_ANNOTATION];
