import { createHash } from 'node:crypto';
import { TimeSlicer } from '../../core/time-slicer.js';
import { pickFields } from '../../kubernetes/clusters/field-set.js';
import { managedFieldsOf, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { type OwnershipOptions } from './comparison.js';
import { type DesignSecrets } from './design-secrets.js';
import { isDeletedAfterEnd } from './deleted-after-end.js';
import { type KeptObject } from './kept-objects.js';
import { type PlanItem } from './plan-item.js';
import { type PlannedHooks } from './hook-plans.js';
import { type Owner } from './owner.js';
import { type PlannedResource } from './planned-resource.js';

/** The effect of a deployment on one cluster. */
export interface Plan {
  owner: Owner;
  options: OwnershipOptions;
  /** The namespace of objects that name none; null when there are no such objects. */
  namespace: string | null;
  /** In the order of the design, followed by the objects to prune. */
  items: PlanItem[];
  /** Hooks of a chart in the order in which they run. */
  hooks: PlannedHooks;
  /** Kinds whose objects could not be listed, as `Kind.group`; objects to prune may be missing there. */
  unlistable: string[];
  /** The objects without labels of their owner that a later plan has to know. */
  unlabelled: KeptObject[];
  /** What messages must not contain. */
  secrets: DesignSecrets;
  /** Identifies the plan: it changes when the design or the effect of deploying it changes. */
  fingerprint: string;
}

/** The plan in wire form, as the API returns it and the record of a deployment stores it. */
export function plannedResources(plan: Plan): PlannedResource[] {
  return plan.items.map(({ planned }) => planned);
}

/** Hashes the JSON of the items one by one, because the whole text is as large as the design. */
export async function fingerprint(items: PlanItem[]): Promise<string> {
  const hash = createHash('sha256').update('[');
  const turns = new TimeSlicer();
  for (const [index, item] of items.entries()) {
    const { planned, desired } = item;
    const { live, digest }: Pick<PlanItem, 'live' | 'digest'> = mayGoUnnoticed(item) ? {} : item;
    const { api_version, kind, namespace, name, action, error, kept, hook } = planned;
    const facts = [
      api_version,
      kind,
      namespace,
      name,
      action,
      error?.reason,
      kept,
      hook,
      live?.metadata.uid,
      desired,
      digest,
      live && valuesOfAuthors(live),
    ];
    hash.update(`${index === 0 ? '' : ','}${JSON.stringify(facts)}`);
    await turns.yieldToEventLoop();
  }
  return hash.update(']').digest('hex');
}

/** Whether nothing changes when the cluster deletes the object after its end. */
const mayGoUnnoticed = ({ planned, desired }: PlanItem): boolean =>
  planned.action === 'unchanged' && desired !== undefined && isDeletedAfterEnd(desired);

/**
 * The fields of an object that people and other deployment tools have set, with their values: when they change, somebody has changed
 * the object. What controllers of Kubernetes write, such as a status, changes all the time.
 */
function valuesOfAuthors(live: ObjectMetadata): unknown[] {
  return managedFieldsOf(live)
    .filter(({ manager = '', subresource }) => !subresource && !manager.startsWith('kube-'))
    .map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1, pickFields(fieldsV1, live)]);
}
