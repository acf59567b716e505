import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors/app-error.js';
import { isTemporary } from '../../core/errors/problem.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import { type AppliedChange, changeKey } from '../apply/applied-change.js';
import { toSettled } from '../apply/resource-result.js';
import { RunClock } from '../apply/run-clock.js';
import { Undo, type UndoneChange } from '../apply/undo.js';
import { toResourceState, applyUndo } from '../apply/undone-resources.js';
import { DesignSecretsService } from '../design-secrets.service.js';
import type { DeployedResource, Deployment } from '../deployment.entity.js';
import { objectKey, type ResourceError } from '../plan/planned-resource.js';
import { groupOf } from '../../kubernetes/clusters/kubernetes-object.js';
import { KeptObjectsStore } from '../kept-objects.store.js';
import { versionFor } from '../renderings/rendering.js';
import { ChangeJournalsStore } from './change-journals.store.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import { CANCELLED, type DeploymentOutcome, isUndoneAfter, type ClusterState } from './deployment-outcome.js';

/** Time limit of undoing on one cluster. */
const UNDO_TIMEOUT_MS = 180_000;

/** Completes failed deployments from their journals, which contain the changes of all attempts. */
@Injectable()
export class UnfinishedRunsService {
  constructor(
    private readonly journals: ChangeJournalsStore,
    private readonly kept: KeptObjectsStore,
    private readonly work: DeploymentContextService,
    private readonly secrets: DesignSecretsService,
  ) {}

  /** Undoes what is to be undone on all clusters, the last first; otherwise determines what is on the clusters. */
  async conclude(deployment: Deployment, context: JobContext): Promise<DeploymentOutcome> {
    const failure = deployment.failure ?? CANCELLED;
    const undoes = isUndoneAfter(failure, deployment);
    const ends: { resources: DeployedResource[]; state: ClusterState; changed: boolean }[] = [];
    for (const connectionId of [...deployment.connectionIds].reverse()) {
      const changes = await this.readChanges(deployment, connectionId);
      const before = settle(deployment, connectionId, changes);
      const found = undoes
        ? toUndoneResources(before, await this.undo(deployment, connectionId, changes, context), connectionId)
        : await this.addMissingResources(connectionId, before, changes);
      const resources = await this.hideSecrets(deployment, connectionId, found, changes);
      const isClean = resources.every(({ error }) => error?.reason !== 'NOT_TAKEN_BACK');
      const is = changes.length === 0 || (undoes && isClean) ? 'old' : 'mixed';
      ends.unshift({ resources, state: { connectionId, is }, changed: changes.length > 0 });
    }
    const isUndone = undoes && ends.some((end) => end.changed);
    const isClean = ends.every(({ state }) => state.is === 'old');
    return {
      status: failure.code === CANCELLED.code ? 'cancelled' : isUndone && isClean ? 'rolled_back' : 'failed',
      resources: ends.flatMap((end) => end.resources),
      failure,
      clusterStates: ends.map(({ state }) => state),
    };
  }

  /** As `conclude`, after that has failed: makes no request to a cluster. */
  async abandon(deployment: Deployment): Promise<DeploymentOutcome> {
    const detail = 'The changes could not be rolled back: the server stopped during each attempt';
    const resources: DeployedResource[] = [];
    for (const connectionId of deployment.connectionIds) {
      const changes = await this.readChanges(deployment, connectionId);
      const before = settle(deployment, connectionId, changes);
      const left = changes.map((change) => ({ change, error: { reason: 'NOT_TAKEN_BACK', detail } }));
      resources.push(...toUndoneResources(before, left, connectionId));
    }
    const clusterStates = deployment.connectionIds.map((connectionId) => ({ connectionId, is: 'mixed' as const }));
    return { status: 'failed', resources, failure: deployment.failure, clusterStates };
  }

  /** What clusters say when changes are undone contains the values of Secrets as they were and as they should have been. */
  private async hideSecrets(
    deployment: Deployment,
    connectionId: string,
    resources: DeployedResource[],
    changes: AppliedChange[],
  ): Promise<DeployedResource[]> {
    if (!resources.some(({ error }) => error)) return resources;
    const previous = changes.flatMap((change) => change.previous ?? []);
    const version = versionFor(deployment, connectionId);
    const secrets = await this.secrets.read(deployment.designId, version, previous);
    return resources.map((one) => (one.error ? { ...one, error: secrets.hideInError(one.error) } : one));
  }

  private async readChanges(deployment: Deployment, connectionId: string): Promise<AppliedChange[]> {
    return (await this.journals.changes(deployment, connectionId)).filter(({ done }) => !done);
  }

  private async undo(
    deployment: Deployment,
    connectionId: string,
    changes: AppliedChange[],
    { signal, assertLeased }: JobContext,
  ): Promise<UndoneChange[]> {
    if (changes.length === 0) return [];
    try {
      const cluster = await this.work.getClient(connectionId);
      const owner = await this.work.getOwner(deployment, connectionId);
      const clock = new RunClock(UNDO_TIMEOUT_MS, signal, false);
      const records = await this.kept.read(deployment, connectionId);
      return await new Undo(cluster, owner, clock, records).undoAll(changes, assertLeased);
    } catch (error) {
      if (isTemporary(error) || !(error instanceof AppError)) throw error;
      const failure = {
        reason: 'NOT_TAKEN_BACK',
        detail: `The changes could not be rolled back: ${error.message}`,
      };
      return changes.map((change) => ({ change, error: failure }));
    }
  }

  /** Adds resources that a lost attempt did not report. */
  private async addMissingResources(
    connectionId: string,
    resources: DeployedResource[],
    changes: AppliedChange[],
  ): Promise<DeployedResource[]> {
    const known = new Set(resources.map((one) => objectKey({ ...one, group: groupOf(one.api_version) })));
    const missing = changes.filter((change) => !known.has(changeKey(change)));
    if (missing.length === 0) return resources;
    const found: DeployedResource[] = [];
    for (const change of missing)
      found.push({ ...(await this.inspect(connectionId, change)), connection_id: connectionId });
    return [...resources, ...found];
  }

  private async inspect(connectionId: string, change: AppliedChange): Promise<Omit<DeployedResource, 'connection_id'>> {
    try {
      const { kind, name, namespace } = change;
      const live = await (await this.work.getClient(connectionId)).lookup(kind, name, namespace);
      if (change.action !== 'delete' && change.action !== 'prune')
        return toResourceState(change, live ? 'applied' : 'skipped');
      return toResourceState(change, !live ? 'deleted' : live.metadata.deletionTimestamp ? 'deleting' : 'skipped');
    } catch (error) {
      if (isTemporary(error) || !(error instanceof AppError)) throw error;
      const unknown: ResourceError = { reason: error.code, detail: error.message };
      return { ...toResourceState(change, 'failed'), error: unknown };
    }
  }
}

/** The resources on one cluster as a lost attempt last reported them, except those that the journal describes. */
function settle({ resources }: Deployment, connectionId: string, changes: AppliedChange[]): DeployedResource[] {
  const changed = new Set(changes.map(changeKey));
  return resources
    .filter((one) => one.connection_id === connectionId)
    .filter((one) => one.status !== 'pending' || !changed.has(objectKey({ ...one, group: groupOf(one.api_version) })))
    .map(toSettled);
}

function toUndoneResources(
  resources: DeployedResource[],
  changes: UndoneChange[],
  connectionId: string,
): DeployedResource[] {
  return applyUndo(resources, changes, (change) => ({
    ...toResourceState(change, 'applied'),
    connection_id: connectionId,
  }));
}
