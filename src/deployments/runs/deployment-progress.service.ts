import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { truncate } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import { ProgressWriter } from '../../jobs/progress-writer.js';
import type { ResourceResult, RunProgress } from '../apply/resource-result.js';
import type { DeployedResource, Deployment } from '../deployment.entity.js';
import { DeploymentProgressed } from '../deployment.events.js';
import { DeploymentsStore } from '../deployments.store.js';
import { actorForDeployment } from './deployment-completion.service.js';

const SYSTEM = Actor.system('deployment');

/** Minimum interval between two writes; longer for long runs and for many resources. */
const MIN_INTERVAL_MS = 1_000;
const RUN_SHARE = 1 / 60;
const INTERVAL_PER_RESOURCE_MS = 1;

/** Maximum number of resources in one event. */
const MAX_NAMED = 10;
const MAX_MESSAGE_LENGTH = 300;

/** Reports the progress of one deployment. */
export interface DeploymentProgress {
  /** Called for every change; inexpensive. */
  report: (connectionId: string, resource: ResourceResult, progress: RunProgress) => void;
  /** Discards unwritten progress, because the end of the deployment includes it. */
  close: () => void;
}

/** Updates the record of a running deployment and publishes an event, at most once per second. */
@Injectable()
export class DeploymentProgressService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  open({ id }: Deployment, { assertLeased, reportProgress }: JobContext): DeploymentProgress {
    const started = performance.now();
    const clusters = new Map<string, RunProgress>();
    const count = () => [...clusters.values()].reduce((sum, { total }) => sum + total, 0);
    const writer = new ProgressWriter(
      () => this.unit.runOutside(() => this.write(id, clusters, assertLeased)),
      () => Math.max(MIN_INTERVAL_MS, (performance.now() - started) * RUN_SHARE, count() * INTERVAL_PER_RESOURCE_MS),
    );
    return {
      report: (connectionId, { kind, name, status }, progress) => {
        clusters.set(connectionId, progress);
        reportProgress({ ...sumUp(clusters), last: { kind, name, status } });
        writer.report({});
      },
      close: () => void writer.close(),
    };
  }

  /** Has no effect after the deployment has failed or ended, or another worker has taken it over. */
  private async write(
    id: string,
    clusters: Map<string, RunProgress>,
    assertLeased: () => Promise<void>,
  ): Promise<void> {
    await this.unit.run(async () => {
      await assertLeased();
      const deployment = await this.deployments.lock(SYSTEM, id);
      if (deployment?.status !== 'running' || deployment.failure) return;
      const resources = [...clusters].flatMap(([connectionId, progress]) =>
        progress.resources().map((resource) => toDeployedResource(resource, connectionId)),
      );
      await this.deployments.update(deployment, { resources });
      const waiting = resources
        .filter(({ status }) => status === 'waiting' || status === 'deleting')
        .slice(0, MAX_NAMED);
      const facts = {
        ...sumUp(clusters),
        waiting: waiting.map(({ kind, namespace, name, message = '' }) => ({
          kind,
          namespace,
          name,
          message: truncate(message, MAX_MESSAGE_LENGTH),
        })),
      };
      await this.events.publish(new DeploymentProgressed(actorForDeployment(deployment), deployment, facts));
    });
  }
}

export function toDeployedResource(
  { component: _, ...resource }: ResourceResult,
  connectionId: string,
): DeployedResource {
  return { ...resource, connection_id: connectionId };
}

function sumUp(clusters: Map<string, RunProgress>): { done: number; total: number } {
  let [done, total] = [0, 0];
  for (const progress of clusters.values()) {
    done += progress.done;
    total += progress.total;
  }
  return { done, total };
}
