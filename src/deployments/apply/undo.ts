import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { decided } from '../plan/field-changes.js';
import { FIELD_MANAGER, isOwnedBy, type Owner } from '../plan/owner.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { resourceError } from '../plan/resource-error.js';
import { appliedConfiguration, mergePatch } from './applied-configuration.js';
import { Removal } from './removal.js';
import { type RunClock, RunEnded } from './run-clock.js';

/** One thing that a deployment did, or may have done, to an object. */
export type Deed = { kind: ResourceKind; object: KubernetesObject } & (
  { did: 'created' } | { did: 'updated' | 'pruned'; previous: KubernetesObject }
);

const GONE_WITHIN_MS = 30_000;
const AGAIN_WITHIN_MS = 30_000;

/** Undoes what a deployment did, the last thing first. It has a time limit of its own and cannot be cancelled. */
export class TakeBack {
  private readonly removal: Removal;
  private lost = false;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly owner: Owner,
    private readonly clock: RunClock,
  ) {
    this.removal = new Removal(cluster, owner);
  }

  /** The error of what could not be undone. A cluster that does not answer is asked again for a while, but not for every deed anew. */
  async undo(deed: Deed): Promise<ResourceError | undefined> {
    let failure: ResourceError | undefined;
    try {
      const answered = await this.clock.until(this.lost ? 0 : AGAIN_WITHIN_MS, async () => {
        try {
          failure = await this.once(deed);
          return true;
        } catch (error) {
          if (!(error instanceof ClusterError)) throw error;
          failure = resourceError(error, deed.object);
          return error.kind === 'unreachable' || error.kind === 'unavailable' || error.kind === 'timeout'
            ? undefined
            : true;
        }
      });
      this.lost = !answered;
    } catch (error) {
      if (!(error instanceof RunEnded)) throw error;
      failure ??= { reason: 'TIMEOUT', detail: 'the time for it is over' };
    }
    if (!failure) return undefined;
    return { reason: 'NOT_TAKEN_BACK', detail: `What was done could not be taken back: ${failure.detail}` };
  }

  private async once(deed: Deed): Promise<ResourceError | undefined> {
    const { name, namespace } = deed.object.metadata;
    const place = { kind: deed.kind, name, namespace };
    if (deed.did === 'created') {
      const { error, previous } = await this.removal.remove(place, false);
      return error ?? (previous && this.removal.gone(place, previous.metadata.uid, this.clock, GONE_WITHIN_MS));
    }
    if (deed.did === 'pruned') {
      const stuck = await this.removal.gone(place, deed.previous.metadata.uid, this.clock, GONE_WITHIN_MS);
      return stuck ?? this.restore(deed.kind, deed.previous);
    }
    return isOwnedBy(this.owner, deed.previous)
      ? this.restore(deed.kind, deed.previous)
      : this.release(deed.kind, deed.previous);
  }

  private async restore(kind: ResourceKind, previous: KubernetesObject): Promise<undefined> {
    const applied = appliedConfiguration(previous);
    const then = (await this.cluster.find(applied.apiVersion, applied.kind)) ?? kind;
    await this.cluster.apply(then, applied, { fieldManager: FIELD_MANAGER, force: true });
  }

  /** Gives an adopted object back: first the values that were taken from others, then the fields that only this server held. */
  private async release(kind: ResourceKind, previous: KubernetesObject): Promise<undefined> {
    const { name, namespace } = previous.metadata;
    const now = await this.cluster.lookup(kind, name, namespace);
    if (!now) return;
    const body = mergePatch(decided(kind, now), decided(kind, previous));
    if (Object.keys(body).length > 0)
      await this.cluster.patch(
        kind,
        name,
        namespace,
        { type: 'merge', body },
        { fieldManager: `${FIELD_MANAGER}-take-back` },
      );
    await this.cluster.apply(kind, appliedConfiguration({ ...previous }), { fieldManager: FIELD_MANAGER, force: true });
  }
}
