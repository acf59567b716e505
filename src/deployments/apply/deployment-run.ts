import { setTimeout as pause } from 'node:timers/promises';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { sanitizeClusterText } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { describeObject, type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { findCondition } from '../../kubernetes/resources/health/health-status.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { type ComparisonResult, Comparison } from '../plan/comparison.js';
import { isDefinition } from '../plan/definitions.js';
import { storeManagedFields } from '../plan/field-ownership.js';
import { FIELD_MANAGER } from '../plan/owner.js';
import { type Plan } from '../plan/plan.js';
import { type PlanItem } from '../plan/plan-item.js';
import { type PlannedResource, type ResourceError } from '../plan/planned-resource.js';
import { isClusterFailure, toResourceError } from '../plan/resource-error.js';
import { type AppliedChange, type ChangeJournal } from './applied-change.js';
import { RecordedChanges } from './recorded-changes.js';
import { Removal } from './removal.js';
import { type RunClock } from './run-clock.js';
import { PlanMoved } from './run-end.js';
import { isTransient } from './transient.js';

/**
 * How long to retry refusals that end when earlier resources become ready: a webhook's pods, the service account of a namespace, a
 * schema.
 */
const TRANSIENT_TIMEOUT_MS = 30_000;
const ESTABLISH_TIMEOUT_MS = 30_000;
const PRUNE_TIMEOUT_MS = 10_000;
const REPLACE_TIMEOUT_MS = 60_000;

const CONCURRENCY = 6;

const NOTHING_LIVE: ComparisonResult = { action: 'create', diff: [], verified: true, warnings: [] };

/** What to apply, and the live object that it is applied to, if any. */
interface Write extends Pick<ComparisonResult, 'live' | 'replaces' | 'ownership' | 'adopts'> {
  /** Fails when the object has another resource version than `live`. */
  exactly?: boolean;
}

export type Step = {
  status: 'applied' | 'unchanged' | 'deleting' | 'deleted' | 'skipped' | 'kept' | 'failed';
  message?: string;
  error?: ResourceError;
};

/** Executes single items of a plan. Every change is recorded before it is made, so that it can be undone. */
export class DeploymentRun {
  private readonly recorded: RecordedChanges;
  private readonly comparison: Comparison;
  private readonly removal: Removal;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly plan: Plan,
    private readonly clock: RunClock,
    journal: ChangeJournal,
    private readonly exact = false,
  ) {
    this.recorded = new RecordedChanges(cluster, journal);
    this.comparison = new Comparison(cluster, plan.owner, plan.options);
    this.removal = new Removal(cluster, plan.owner, { keep: { deleteVolumes: plan.options.deleteVolumes } });
  }

  /** Records what the plan is going to change of these items, in one write. Otherwise each change is recorded before it is made. */
  async announce(items: PlanItem[]): Promise<void> {
    const changed = items.filter(
      ({ planned, kind, desired, isChartDefinition }) =>
        kind && desired && !planned.error && !isChartDefinition && (planned.action !== 'unchanged' || planned.adopts),
    );
    const changes = await boundedParallel(changed, CONCURRENCY, async ({ planned, kind, desired, ...item }) => {
      const { compared: live, ownership } = item;
      if (!kind || !desired || (live && !isAsPlanned({ planned }))) return undefined;
      return this.describeWrite(kind, desired, { live, ownership, adopts: planned.adopts });
    });
    await this.recorded.announce(
      changes.filter((change) => change !== undefined),
      this.plan.owner,
    );
  }

  /** Withdraws what was announced and not begun. */
  withdrawAnnounced(): Promise<void> {
    return this.recorded.withdrawAnnounced();
  }

  /** @throws ClusterError for a failure of the cluster as a whole, RunEnded, PlanMoved */
  async apply(item: PlanItem): Promise<Step> {
    const { planned, desired } = item;
    if (planned.error || !desired) return { status: 'failed', error: planned.error };
    if (planned.action === 'unchanged' && !planned.adopts) return { status: 'unchanged' };
    const isGivenNamespace = planned.component === null;
    const kind = await this.clock.poll(ESTABLISH_TIMEOUT_MS, () =>
      this.cluster.findKind(desired.apiVersion, desired.kind, 500),
    );
    if (!kind)
      return {
        status: 'failed',
        error: { reason: 'UNKNOWN_KIND', detail: `The cluster serves no ${desired.kind} of ${desired.apiVersion}` },
      };
    item.kind = kind;
    if (item.isChartDefinition) return this.createDefinition(kind, desired);
    const asPlanned = await this.applyAsPlanned(kind, desired, item);
    if (asPlanned) return asPlanned;
    const settled = performance.now() + TRANSIENT_TIMEOUT_MS;
    for (let isFirst = true; ; isFirst = false) {
      const compared = await this.comparison.compare(kind, desired);
      const wasApplied = this.recorded.has({ kind, ...desired.metadata });
      if (this.exact && isFirst && !wasApplied && hasMoved(item, compared))
        throw new PlanMoved(describeObject({ ...desired.metadata, kind: desired.kind }));
      if (compared.action === 'unchanged' && !compared.adopts) return { status: wasApplied ? 'applied' : 'unchanged' };
      // The namespace was created concurrently.
      if (isGivenNamespace && compared.error?.reason === 'NOT_OWNED') return { status: 'unchanged' };
      const error = compared.error ?? (await this.write(kind, desired, compared));
      if (error === 'unchanged') return { status: wasApplied ? 'applied' : 'unchanged' };
      if (!error) return { status: toStatus(compared.action) };
      const isFollowing = !planned.verified && /not declared in schema/.test(error.detail);
      const isOutdated = error === MADE_SINCE || (error.reason === 'CONFLICT' && compared.ownership !== undefined);
      if ((!isTransient(error) && !isFollowing && !isOutdated) || performance.now() > settled)
        return { status: 'failed', error };
      this.clock.check();
      await pause(1_000);
    }
  }

  /**
   * Applies a change that the dry run of the plan has verified without another dry run, at the resource version of the plan.
   * @returns undefined when the object has been made or changed since, or the cluster refused it
   */
  private async applyAsPlanned(
    kind: ResourceKind,
    desired: KubernetesObject,
    { planned, compared: live, ownership }: PlanItem,
  ): Promise<Step | undefined> {
    if (!isAsPlanned({ planned })) return undefined;
    const wasApplied = this.recorded.has({ kind, ...desired.metadata });
    const outcome = await this.write(kind, desired, { live, ownership, adopts: planned.adopts, exactly: true });
    if (outcome === 'unchanged') return { status: wasApplied ? 'applied' : 'unchanged' };
    return outcome ? undefined : { status: toStatus(planned.action) };
  }

  /** Creates a definition from `crds/` of a chart; one that is there by now is used as it is. */
  private async createDefinition(kind: ResourceKind, desired: KubernetesObject): Promise<Step> {
    const { name } = desired.metadata;
    const wasCreated = this.recorded.has({ kind, name });
    const change = await this.recorded.add({ action: 'create', kind, name, isChartDefinition: true });
    try {
      await this.cluster.create(kind, desired, { fieldManager: FIELD_MANAGER });
      return { status: 'applied' };
    } catch (error) {
      if (!(error instanceof ClusterError) || error.answered === undefined) throw error;
      if (change && error.answered < 500) await this.recorded.withdraw(change);
      if (isClusterFailure(error)) throw error;
      if (error.kind === 'alreadyExists') return { status: wasCreated ? 'applied' : 'unchanged' };
      return { status: 'failed', error: toResourceError(error, desired) };
    }
  }

  /** Waits until the API of an applied CustomResourceDefinition is served, so that its custom resources can be applied. */
  async waitUntilEstablished({ desired, kind }: PlanItem): Promise<ResourceError | undefined> {
    if (!desired || !kind || !isDefinition(desired)) return undefined;
    let refusal: string | undefined;
    const done = await this.clock.poll(ESTABLISH_TIMEOUT_MS, async () => {
      const { status } = await this.cluster.get(kind, desired.metadata.name);
      const names = findCondition(status, 'NamesAccepted');
      refusal = names?.status === 'False' ? names.message : undefined;
      return refusal !== undefined || findCondition(status, 'Established')?.status === 'True' || undefined;
    });
    this.cluster.invalidateKinds();
    if (done && !refusal) return undefined;
    return {
      reason: 'NOT_ESTABLISHED',
      detail: sanitizeClusterText(refusal) || 'The definition is not established yet',
    };
  }

  /** Deletes an object that is no longer in the design. */
  async prune(item: PlanItem): Promise<Step> {
    const { planned, kind, live } = item;
    if (planned.error) return { status: 'failed', error: planned.error };
    if (!kind || !live) return { status: 'skipped' };
    const { name, namespace, uid } = live.metadata;
    let change: AppliedChange | undefined;
    const before = async (object: KubernetesObject) => {
      const previous = await this.recorded.describe(kind, object);
      change = await this.recorded.add({ action: 'prune', kind, name, namespace, previous });
    };
    const { previous, isGone, ...step } = await this.removal.remove(
      { kind, name, namespace, uid, isGenerated: item.isGenerated, isChartDefinition: item.isChartDefinition },
      { before },
    );
    if (change && !previous) await this.recorded.withdraw(change);
    if (step.status === 'kept') return { status: 'kept', message: step.error?.detail };
    if (!previous || isGone || step.status !== 'deleted') return step;
    const stuck = await this.removal.waitUntilGone({ kind, name, namespace }, uid, this.clock, PRUNE_TIMEOUT_MS);
    return stuck ? { status: 'deleting', message: stuck.detail } : step;
  }

  private async write(
    kind: ResourceKind,
    desired: KubernetesObject,
    { live, replaces, ownership, adopts, exactly }: Write,
  ): Promise<ResourceError | 'unchanged' | undefined> {
    if (live && replaces)
      return (await this.removeForReplacement(kind, live)) ?? this.write(kind, desired, NOTHING_LIVE);
    const { name, namespace } = desired.metadata;
    // The owner is not told by the field manager, so applying would take the object of another deployment without a conflict.
    if (!live && (await this.cluster.lookup(kind, name, namespace))) return MADE_SINCE;
    const change = await this.recorded.add(await this.describeWrite(kind, desired, { live, ownership, adopts }));
    let isChanged = false;
    try {
      const owned = live && ownership ? await storeManagedFields(this.cluster, kind, live, ownership) : live;
      isChanged = owned !== live;
      // The uid precondition makes the deletion of a replaced object a conflict.
      const { uid, resourceVersion } = owned?.metadata ?? {};
      const isExact = exactly || isChanged;
      const seen = { ...(uid && { uid }), ...(isExact && resourceVersion && { resourceVersion }) };
      const wanted = { ...desired, metadata: { ...desired.metadata, ...seen } };
      const { object } = await this.cluster.apply(kind, wanted, {
        fieldManager: FIELD_MANAGER,
        // What nobody has made yet has no fields of others.
        force: live !== undefined && this.comparison.isForced,
      });
      if (object.metadata.resourceVersion !== live?.metadata.resourceVersion) return undefined;
      if (change) await this.recorded.withdraw(change);
      return 'unchanged';
    } catch (error) {
      // Only a refusal by the cluster proves that nothing changed. Without a valid response, the change may have been made.
      if (!(error instanceof ClusterError) || error.answered === undefined) throw error;
      if (change && error.answered < 500 && !error.mayHaveRun && !isChanged) await this.recorded.withdraw(change);
      if (isClusterFailure(error)) throw error;
      const isHeld = error.causes.some(({ reason }) => reason === 'FieldManagerConflict');
      return !live && isHeld ? MADE_SINCE : toResourceError(error, desired);
    }
  }

  private async describeWrite(
    kind: ResourceKind,
    { metadata: { name, namespace } }: KubernetesObject,
    { live, ownership, adopts }: Write,
  ): Promise<AppliedChange> {
    if (!live) return { action: 'create', kind, name, namespace };
    const previous = await this.recorded.describe(kind, live, adopts || ownership !== undefined);
    return { action: 'update', kind, name, namespace, previous };
  }

  /** Deletes an object that is going to be recreated. */
  private async removeForReplacement(kind: ResourceKind, live: KubernetesObject): Promise<ResourceError | undefined> {
    const { name, namespace, uid } = live.metadata;
    const target = { kind, name, namespace, uid };
    let change: AppliedChange | undefined;
    const before = async (object: KubernetesObject) => {
      const previous = await this.recorded.describe(kind, object);
      change = await this.recorded.add({ action: 'replace', kind, name, namespace, previous });
    };
    const removed = await this.removal.remove(target, { before });
    if (removed.status === 'deleted') return this.removal.waitUntilGone(target, uid, this.clock, REPLACE_TIMEOUT_MS);
    if (change) await this.recorded.withdraw(change);
    return removed.error;
  }
}

const MADE_SINCE: ResourceError = { reason: 'CONFLICT', detail: 'Somebody else has made the object in the meantime' };

/** Whether the dry run of the plan shows what is going to be applied. */
const isAsPlanned = ({ planned }: Pick<PlanItem, 'planned'>): boolean => planned.verified && !planned.replaces;

/** An adoption that changes only the owner leaves the object as it is. */
const toStatus = (action: PlannedResource['action']): 'applied' | 'unchanged' =>
  action === 'unchanged' ? 'unchanged' : 'applied';

/** Whether applying an object does something else than its plan says. What could not be tried then is not compared. */
function hasMoved({ planned, digest, live }: PlanItem, compared: ComparisonResult): boolean {
  if (!planned.verified && !planned.replaces) return false;
  if (compared.error) return compared.error.reason === 'NOT_OWNED' || compared.error.reason === 'TERMINATING';
  return (
    compared.action !== planned.action ||
    compared.digest !== digest ||
    compared.live?.metadata.uid !== live?.metadata.uid
  );
}
