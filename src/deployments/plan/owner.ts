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

/** Whose an object is: this installation's deployment of one design, into one environment, through one connection. All are UUIDs. */
export interface Owner {
  installation: string;
  design: string;
  /** Null when the design was deployed to a connection without naming an environment. */
  environment: string | null;
  connection: string;
}

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
 * Whether the object is this owner's. Labels alone do not prove it: controllers copy them to what they make, as from a Service to
 * its EndpointSlices. So this server must have applied the object as well.
 */
export function isOwnedBy(owner: Owner, object: ObjectMetadata): boolean {
  const labels = object.metadata.labels ?? {};
  return (
    OWNER_PARTS.every((part) => labels[PREFIX + part] === (owner[part] ?? undefined)) &&
    findAppliedFields(object) !== undefined
  );
}

/** Whether the labels name this very owner. */
export function matchesOwner(owner: Owner, labelled: LabelledOwner): boolean {
  return OWNER_PARTS.every((part) => labelled[part] === (owner[part] ?? undefined));
}

/** The object as this owner wants it, labelled as its own. */
export function addOwnerLabels(owner: Owner, object: KubernetesObject): KubernetesObject {
  const labels = { ...omitOwnerLabels(object.metadata.labels ?? {}), ...ownerLabels(owner) };
  return { ...object, metadata: { ...object.metadata, labels } };
}

const HOOK_LABEL = `${PREFIX}hook`;
const HOOK_RUN_ANNOTATION = `${PREFIX}hook-run`;

/** The hook of a chart as its owner creates it: kept apart from deployed resources, and neither pruned nor compared with them. */
export function addHookLabel(object: KubernetesObject, phase: string): KubernetesObject {
  const labels = { ...object.metadata.labels, [HOOK_LABEL]: phase };
  return { ...object, metadata: { ...object.metadata, labels } };
}

export const isHookObject = ({ metadata }: ObjectMetadata): boolean => metadata.labels?.[HOOK_LABEL] !== undefined;

/** The hook with an annotation that identifies the run of the object. */
export function addHookRun(object: KubernetesObject, run: string): KubernetesObject {
  const annotations = { ...(object.metadata['annotations'] as object | undefined), [HOOK_RUN_ANNOTATION]: run };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export const getHookRun = ({ metadata }: ObjectMetadata): string | undefined =>
  metadata['annotations']?.[HOOK_RUN_ANNOTATION];
