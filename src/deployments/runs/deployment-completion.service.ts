import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { onBehalfOf } from '../../core/telemetry/request-context.js';
import { DesignsStore } from '../../designs/designs.store.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import {
  DeploymentCancelled,
  type DeploymentEvent,
  DeploymentFailed,
  DeploymentRolledBack,
  DeploymentSucceeded,
  DesignUndeployed,
} from '../deployment.events.js';
import { DeploymentsStore } from '../deployments.store.js';
import { ChangeJournalsStore } from './change-journals.store.js';
import { type ClusterState, type DeploymentOutcome, toDeployedCluster } from './deployment-outcome.js';

const SYSTEM = Actor.system('deployment');

/** The actor of a running deployment. */
export const actorForDeployment = (deployment: Deployment): Actor =>
  deployment.requestedBy ? Actor.onBehalfOf(deployment.requestedBy, 'deployment') : SYSTEM;

/** Writes the end of deployments: the record, the deployed designs and the event, and deletes the journal. */
@Injectable()
export class DeploymentCompletionService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly deployed: DeployedDesignsStore,
    private readonly designs: DesignsStore,
    private readonly journals: ChangeJournalsStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** @returns the deployment as it ended, now or before */
  async complete(id: string, outcome: DeploymentOutcome): Promise<Deployment | null> {
    const cancelledBy = outcome.status === 'cancelled' ? await this.deployments.findCanceller(id) : null;
    return onBehalfOf(cancelledBy, () => this.write(id, outcome, cancelledBy));
  }

  private write(
    id: string,
    { clusterStates, ...end }: DeploymentOutcome,
    cancelledBy: string | null,
  ): Promise<Deployment | null> {
    return this.unit.run(async () => {
      const deployment = await this.deployments.lock(SYSTEM, id);
      if (!deployment || deployment.hasEnded) return deployment;
      const clusters = clusterStates.map(toDeployedCluster);
      await this.deployments.update(deployment, { ...end, clusters, finishedAt: new Date() });
      for (const each of clusterStates) await this.recordClusterState(deployment, each);
      await this.journals.clear(deployment);
      if (end.status === 'succeeded') await this.designs.incrementDeploymentCount(deployment.designId);
      await this.events.publish(terminalEvent(deployment, cancelledBy));
      return deployment;
    });
  }

  private async recordClusterState(deployment: Deployment, state: ClusterState): Promise<void> {
    const { connectionId, is } = state;
    if (is === 'new') await this.deployed.complete(deployment, connectionId, state.objects);
    if (is === 'none') await this.deployed.remove(deployment, connectionId);
    if (is === 'old') await this.deployed.revert(deployment, connectionId);
    if (is === 'mixed') await this.deployed.keepBoth(deployment, connectionId);
  }
}

function terminalEvent(deployment: Deployment, cancelledBy: string | null): DeploymentEvent {
  const actor = cancelledBy ? Actor.onBehalfOf(cancelledBy, 'deployment') : actorForDeployment(deployment);
  const counts: Record<string, number> = {};
  for (const { status } of deployment.resources) counts[status] = (counts[status] ?? 0) + 1;
  const facts = {
    status: deployment.status,
    resources: counts,
    ...(deployment.failure ? { reason: deployment.failure.detail } : {}),
  };
  switch (deployment.status) {
    case 'succeeded':
      return deployment.action === 'rollback'
        ? new DeploymentRolledBack(actor, deployment, facts)
        : new DeploymentSucceeded(actor, deployment, facts);
    case 'undeployed':
      return new DesignUndeployed(actor, deployment, facts);
    case 'cancelled':
      return new DeploymentCancelled(actor, deployment, facts);
    default:
      return new DeploymentFailed(actor, deployment, facts);
  }
}
