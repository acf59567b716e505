import { createHash } from 'node:crypto';
import { TimeSlicer } from '../../core/time-slicer.js';
import { type OwnershipOptions } from './comparison.js';
import { type PlanItem } from './plan-item.js';
import { type PlannedHooks } from './hook-plans.js';
import { type Owner } from './owner.js';
import { type PlannedResource } from './planned-resource.js';

/** What a deployment would do on one cluster. */
export interface Plan {
  owner: Owner;
  options: OwnershipOptions;
  /** Where the objects go that name no namespace; null when there are none. */
  namespace: string | null;
  /** In the order of the design, then what is to be pruned. */
  items: PlanItem[];
  /** Hooks of a chart, in the order in which they run. */
  hooks: PlannedHooks;
  /** Kinds whose objects could not be listed, as `Kind.group`: something that left the design may be missed there. */
  unseen: string[];
  /** The same as long as the design and what deploying it would change on the cluster are the same. */
  fingerprint: string;
}

/** The wire form: what is shown of a plan and kept in the record of a deployment. */
export function plannedResources(plan: Plan): PlannedResource[] {
  return plan.items.map(({ planned }) => planned);
}

/** Hashes the JSON of all items piece by piece: as a whole it is as large as the design. */
export async function fingerprint(items: PlanItem[]): Promise<string> {
  const hash = createHash('sha256').update('[');
  const turns = new TimeSlicer();
  for (const [index, { planned, desired, live, digest }] of items.entries()) {
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
    ];
    hash.update(`${index === 0 ? '' : ','}${JSON.stringify(facts)}`);
    await turns.yieldToEventLoop();
  }
  return hash.update(']').digest('hex');
}
