import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { DeploymentAdmissionService } from '../admission/deployment-admission.service.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentStarted } from '../deployment.events.js';
import { DeploymentsStore } from '../deployments.store.js';
import { actorForDeployment, DeploymentCompletionService } from './deployment-completion.service.js';
import type { DeploymentOutcome } from './deployment-outcome.js';

const SYSTEM = Actor.system('deployment');

/** Starts deployments. */
@Injectable()
export class DeploymentStartService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly admission: DeploymentAdmissionService,
    private readonly endings: DeploymentCompletionService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Checks the deployment again; one that may no longer proceed ends here. */
  async start(id: string): Promise<Deployment> {
    return this.unit.run(async () => {
      const accepted = await this.deployments.get(SYSTEM, id);
      const refusal = accepted.status === 'queued' ? await this.admission.findStartRefusal(accepted) : undefined;
      const deployment = await this.deployments.getForUpdate(SYSTEM, id);
      if (deployment.status !== 'queued') return deployment;
      if (refusal) {
        const outcome: DeploymentOutcome = { status: 'failed', resources: [], failure: refusal, clusterStates: [] };
        return (await this.endings.complete(deployment.id, outcome)) ?? deployment;
      }
      await this.deployments.update(deployment, { status: 'running', startedAt: new Date() });
      await this.events.publish(new DeploymentStarted(actorForDeployment(deployment), deployment));
      return deployment;
    });
  }
}
