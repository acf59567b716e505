import { setTimeout as pause } from 'node:timers/promises';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { type HookItem } from '../plan/hook-plans.js';
import { findKeepReason } from '../plan/kept-objects.js';
import { addHookRun, FIELD_MANAGER, getHookRun, isHookObject, isOwnedBy, type Owner } from '../plan/owner.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { isClusterFailure, toResourceError } from '../plan/resource-error.js';
import { type AppliedChange, changeKey, type ChangeJournal, toRecordedObject } from './applied-change.js';
import { Removal } from './removal.js';
import { type ResourceResults } from './results.js';
import { type RunClock } from './run-clock.js';
import { ResourceFailed } from './run-end.js';
import { isTransient } from './transient.js';
import { HealthWait } from './health-wait.js';

const REMOVAL_TIMEOUT_MS = 60_000;
const TRANSIENT_TIMEOUT_MS = 30_000;
const DEFAULT_POLICIES = ['before-hook-creation'];

export interface HookRunOptions {
  /** Identifies this deployment, so that a replica that resumes it recognizes its own hooks. */
  run: string;
  /** Timeout of each hook. */
  timeoutMs: number;
  /** Skips hooks that cannot be created because something that they need is gone, so that a partly deleted design can be undeployed. */
  isLenient?: boolean;
}

/** Runs the hooks of a chart on one cluster: sequentially, each until it completes, once per deployment. */
export class HookRuns {
  private readonly removal: Removal;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly owner: Owner,
    private readonly clock: RunClock,
    private readonly journal: ChangeJournal,
    private readonly results: ResourceResults,
    private readonly options: HookRunOptions,
  ) {
    this.removal = new Removal(cluster, owner);
  }

  /** Runs the hooks of one phase in order. @throws ResourceFailed when one fails, ClusterError, RunEnded */
  async run(items: HookItem[]): Promise<void> {
    const succeeded: HookItem[] = [];
    for (const item of items) {
      this.clock.check();
      const error = await this.execute(item);
      if (!error) {
        if (!this.results.has(item, 'skipped')) succeeded.push(item);
        continue;
      }
      await this.results.set(item, { status: 'failed', error });
      if (item.hook.delete_policies.includes('hook-failed')) await this.remove(item);
      await this.removeSucceeded(succeeded);
      throw new ResourceFailed();
    }
    await this.removeSucceeded(succeeded);
  }

  /** Deletes the objects that the hooks of this deployment have left, except those that are marked to be kept. */
  async removeAll(): Promise<void> {
    for (const { hook, done, kind, name, namespace } of this.journal.changes) {
      if (!hook || done) continue;
      const live = await this.cluster.lookup(kind, name, namespace);
      if (live && findKeepReason(live, {}) === undefined) await this.removal.remove({ kind, name, namespace });
    }
  }

  private async execute(item: HookItem): Promise<ResourceError | undefined> {
    const { planned, desired } = item;
    if (planned.error || !desired) return this.skipOrFail(item, planned.error);
    const kind = await this.cluster.findKind(desired.apiVersion, desired.kind, 500);
    if (!kind)
      return this.skipOrFail(item, { reason: 'UNKNOWN_KIND', detail: `The cluster serves no ${desired.kind}` });
    item.kind = kind;
    const change = this.toChange(item, kind, desired);
    const key = changeKey(change);
    if (this.journal.changes.some((one) => one.done && changeKey(one) === key)) {
      await this.results.set(item, { status: 'ready' });
      return undefined;
    }
    const live = await this.cluster.lookup(kind, desired.metadata.name, desired.metadata.namespace);
    const isUnderWay = live !== undefined && getHookRun(live) === this.runOf(item);
    if (!isUnderWay) {
      const error =
        (live && (await this.makeRoom(item, kind, live))) ?? (await this.create(change, kind, item, desired));
      if (error) return this.skipOrFail(item, error);
    }
    const error = await this.waitForEnd(item, kind, desired);
    if (error) return { reason: 'HOOK_FAILED', detail: `The hook ${item.hook.phase} failed: ${error.detail}` };
    await this.journal.record([{ ...change, done: true }]);
    await this.results.set(item, { status: 'ready' });
    return undefined;
  }

  private async skipOrFail(item: HookItem, error?: ResourceError): Promise<ResourceError | undefined> {
    const refusal = error ?? { reason: 'INVALID', detail: 'The hook cannot be created' };
    const isGone = ['NAMESPACE_NOT_FOUND', 'TERMINATING', 'UNKNOWN_KIND'].includes(refusal.reason);
    if (!this.options.isLenient || !isGone) return refusal;
    await this.results.set(item, { status: 'skipped', message: `It is not run: ${refusal.detail}` });
    return undefined;
  }

  /** Deletes the object of an earlier run of the hook, unless it belongs to another owner. */
  private async makeRoom(
    { hook }: HookItem,
    kind: ResourceKind,
    live: KubernetesObject,
  ): Promise<ResourceError | undefined> {
    if (!isOwnedBy(this.owner, live))
      return { reason: 'NOT_OWNED', detail: 'An object of this name exists and does not belong to this deployment' };
    const { name, namespace, uid } = live.metadata;
    if (!isHookObject(live)) {
      const kept = findKeepReason(live, {});
      if (kept !== undefined)
        return {
          reason: 'KEPT',
          detail: `The object that is deployed under the name of the hook is left in place. ${kept}`,
        };
      // A deployed resource that became a hook is restored when the deployment fails.
      const previous = toRecordedObject(kind, live);
      await this.journal.record([{ action: 'prune', kind, name, namespace, previous }]);
    }
    const policies = hook.delete_policies.length > 0 ? hook.delete_policies : DEFAULT_POLICIES;
    if (!policies.includes('before-hook-creation')) {
      const detail = 'The object of an earlier run of the hook still exists, and its delete policy keeps it';
      return runsToItsEnd(live) ? { reason: 'HOOK_EXISTS', detail } : undefined;
    }
    const removed = await this.removal.remove({ kind, name, namespace, uid });
    return removed.error ?? this.removal.waitUntilGone({ kind, name, namespace }, uid, this.clock, REMOVAL_TIMEOUT_MS);
  }

  private async create(
    change: AppliedChange,
    kind: ResourceKind,
    item: HookItem,
    desired: KubernetesObject,
  ): Promise<ResourceError | undefined> {
    const wanted = addHookRun(desired, this.runOf(item));
    const isRecorded = this.journal.changes.some((one) => changeKey(one) === changeKey(change));
    if (!isRecorded) await this.journal.record([change]);
    for (const settled = performance.now() + TRANSIENT_TIMEOUT_MS; ; await pause(1_000)) {
      try {
        await this.cluster.apply(kind, wanted, { fieldManager: FIELD_MANAGER, force: true });
        await this.results.set(item, { status: 'applied' });
        return undefined;
      } catch (error) {
        if (!(error instanceof ClusterError) || error.answered === undefined || isClusterFailure(error)) throw error;
        const refusal = toResourceError(error, desired);
        if (!isTransient(refusal) || performance.now() > settled) {
          if (!isRecorded && error.answered < 500) await this.journal.withdraw([change]);
          return refusal;
        }
        this.clock.check();
      }
    }
  }

  /** Waits until jobs and pods complete; other objects are complete when they exist. */
  private async waitForEnd(
    item: HookItem,
    kind: ResourceKind,
    desired: KubernetesObject,
  ): Promise<ResourceError | undefined> {
    if (!runsToItsEnd(desired)) return undefined;
    const workload = { kind, object: desired, endsByItself: true };
    const errors = await new HealthWait(this.cluster, this.clock).waitUntilReady([workload], this.options.timeoutMs, {
      onWaiting: (_, message) => this.results.set(item, { status: 'waiting', message }),
      onReady: () => Promise.resolve(),
    });
    return errors.get(workload);
  }

  private async removeSucceeded(items: HookItem[]): Promise<void> {
    for (const item of items) if (item.hook.delete_policies.includes('hook-succeeded')) await this.remove(item);
  }

  private async remove({ kind, planned }: HookItem): Promise<void> {
    if (!kind) return;
    const target = { kind, name: planned.name, namespace: planned.namespace ?? undefined };
    const { previous } = await this.removal.remove(target);
    const uid = previous?.metadata.uid;
    if (uid) await this.removal.waitUntilGone(target, uid, this.clock, REMOVAL_TIMEOUT_MS);
  }

  private runOf({ hook }: HookItem): string {
    return `${this.options.run}.${hook.phase}`;
  }

  private toChange({ hook }: HookItem, kind: ResourceKind, { metadata }: KubernetesObject): AppliedChange {
    const { name, namespace } = metadata;
    return { action: 'create', kind, name, namespace, hook: hook.phase };
  }
}

function runsToItsEnd({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
  return (kind === 'Job' && apiVersion.startsWith('batch/')) || (kind === 'Pod' && apiVersion === 'v1');
}
