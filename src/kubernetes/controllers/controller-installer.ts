import { setTimeout as pause } from 'node:timers/promises';
import { AppError, Conflict } from '../../core/errors/app-error.js';
import type { ClusterClient } from '../clusters/cluster-client.js';
import { ClusterError, isPassing } from '../clusters/cluster-error.js';
import type { ResourceKind } from '../clusters/discovery.js';
import {
  isCustomResourceDefinition,
  isNamespace,
  type KubernetesObject,
  type ObjectReference,
} from '../clusters/kubernetes-object.js';
import { FIELD_MANAGER } from '../clusters/owner-labels.js';
import { judgeHealth } from '../resources/health/health.js';
import { findCondition, type Judgement } from '../resources/health/health-status.js';
import { ControllerRemoval } from './controller-removal.js';
import { GONE_TIMEOUT_MS, waitUntilGone } from './wait-until-gone.js';
import { type ControllerOwner, isOwned, labelAsOwned, toReference } from './controller-owner.js';

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 1_000;
/** How long to wait until a CustomResourceDefinition is established and its kind is served. */
const SERVED_TIMEOUT_MS = 15_000;

/** Deploys the objects of one owner to a cluster. */
export class ControllerInstaller {
  constructor(
    private readonly client: ClusterClient,
    private readonly owner: ControllerOwner,
    private readonly signal: AbortSignal,
    private readonly goneTimeoutMs = GONE_TIMEOUT_MS,
  ) {}

  /**
   * Applies the objects in order. Waits for objects of the same name that are being deleted, because their
   * deletion would remove the applied ones. When an object is rejected, objects created by this run are deleted.
   * @throws Conflict NOT_OWNED or AppError CONTROLLER_NOT_REMOVED before any change
   * @throws ClusterError
   */
  async apply(objects: readonly KubernetesObject[]): Promise<void> {
    const existing = await this.findExisting(objects);
    const created: ObjectReference[] = [];
    try {
      for (const object of objects) {
        const live = existing.get(object);
        if (live && isShared(object) && !isOwned(this.owner, live)) continue;
        const kind = await this.findServedKind(object);
        if (!live) created.push(toReference(object));
        await this.client.apply(kind, labelAsOwned(this.owner, object), {
          fieldManager: FIELD_MANAGER,
          force: true,
          signal: this.signal,
        });
        if (isCustomResourceDefinition(object)) await this.waitUntilEstablished(kind, object.metadata.name);
      }
    } catch (error) {
      if (!this.signal.aborted && error instanceof AppError)
        await new ControllerRemoval(this.client, this.owner, this.signal).remove(created).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Waits until all workloads are ready, or they are no longer wanted.
   * @throws AppError CONTROLLER_NOT_READY with the name and status of one that is not
   */
  async waitUntilReady(objects: readonly KubernetesObject[], areWanted: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + READY_TIMEOUT_MS;
    for (const object of objects.filter(({ kind }) => WORKLOADS.has(kind))) {
      for (;;) {
        const health = await this.readHealth(object);
        if (health.status === 'Healthy') break;
        if (!(await areWanted())) return;
        if (health.isFinal || performance.now() > end) throw notReady(object, health.message);
        await pause(POLL_MS, undefined, { signal: this.signal });
      }
    }
  }

  private async readHealth(object: KubernetesObject): Promise<Judgement> {
    try {
      const kind = await this.findServedKind(object);
      const live = await this.client.lookup(kind, object.metadata.name, object.metadata.namespace, this.signal);
      return (live && judgeHealth(live)) ?? { status: 'Missing', message: 'it has been deleted' };
    } catch (error) {
      if (this.signal.aborted || !isPassing(error)) throw error;
      return { status: 'Unknown', message: error.message };
    }
  }

  /** @throws Conflict NOT_OWNED when an object belongs to another owner */
  private async findExisting(objects: readonly KubernetesObject[]): Promise<Map<KubernetesObject, KubernetesObject>> {
    const found = new Map<KubernetesObject, KubernetesObject>();
    const end = performance.now() + this.goneTimeoutMs;
    for (const object of objects) {
      const kind = await this.client.findKind(object.apiVersion, object.kind);
      const { name, namespace } = object.metadata;
      const live = kind && (await this.findStanding(kind, name, namespace, end));
      if (!live) continue;
      found.set(object, live);
      if (isOwned(this.owner, live) || isShared(object)) continue;
      const where = namespace === undefined ? name : `${namespace}/${name}`;
      throw new Conflict(
        'NOT_OWNED',
        `${object.kind} ${where} already exists and was not created through this connection`,
        {
          remedy: 'Remove it, or set OPERATOR_NAMESPACE to another namespace.',
        },
      );
    }
    return found;
  }

  /** Returns the object; when it is being deleted, waits until it is gone and returns undefined. */
  private async findStanding(
    kind: ResourceKind,
    name: string,
    namespace: string | undefined,
    end: number,
  ): Promise<KubernetesObject | undefined> {
    const live = await this.client.lookup(kind, name, namespace, this.signal);
    if (!live?.metadata.deletionTimestamp) return live;
    await waitUntilGone(this.client, { kind, name, namespace, uid: live.metadata.uid }, end, this.signal);
    if (isCustomResourceDefinition(live)) this.client.invalidateKinds();
    return this.findStanding(kind, name, namespace, end);
  }

  /** Until then the cluster rejects objects of the kind, although it may still list the kind of a deleted definition. */
  private async waitUntilEstablished(kind: ResourceKind, name: string): Promise<void> {
    for (
      const end = performance.now() + SERVED_TIMEOUT_MS;
      ;
      await pause(POLL_MS, undefined, { signal: this.signal })
    ) {
      const { status } = await this.client.get(kind, name, undefined, this.signal);
      if (findCondition(status, 'Established')?.status === 'True') break;
      if (performance.now() > end) throw new ClusterError('failed', `The definition ${name} is not established`);
    }
    this.client.invalidateKinds();
  }

  private async findServedKind({ apiVersion, kind }: KubernetesObject): Promise<ResourceKind> {
    const end = performance.now() + SERVED_TIMEOUT_MS;
    for (;;) {
      const found = await this.client.findKind(apiVersion, kind, POLL_MS);
      if (found) return found;
      if (performance.now() > end)
        throw new ClusterError('notFound', `The cluster does not serve the kind ${kind} of ${apiVersion}`);
      await pause(POLL_MS, undefined, { signal: this.signal });
    }
  }
}

/** Kinds that other parties may have created and continue to use. */
const isShared = (object: KubernetesObject): boolean => isNamespace(object) || isCustomResourceDefinition(object);

const notReady = ({ kind, metadata: { name } }: KubernetesObject, why: string | null): AppError =>
  new AppError(
    422,
    'CONTROLLER_NOT_READY',
    'Not ready',
    `${kind} ${name} did not become ready: ${why ?? 'it took too long'}`,
    {
      remedy: 'Look at its pods on the cluster, fix what prevents them from becoming ready, then enable it again.',
    },
  );
