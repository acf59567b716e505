import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service.js';
import { DeploymentsStore } from '../deployments.store.js';
import { PlansStore } from '../plans/plans.store.js';
import { CancellationsService } from '../requests/cancellations.service.js';
import { type DeploymentPayload, DEPLOYMENTS_QUEUE, retryDeployment } from '../requests/deployment-job.js';
import { DeploymentRunner } from './deployment.runner.js';
import { InterruptedDeploymentsService } from './interrupted-deployments.service.js';

const HOUR_MS = 3_600_000;
const CONCURRENCY = 4;
/** Workers that are reserved for organizations without a running job. */
const RESERVE = 4;

/** Registers the jobs of deployments, and the job that deletes old plans. */
@Injectable()
export class DeploymentJobsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly runner: DeploymentRunner,
    private readonly interrupted: InterruptedDeploymentsService,
    private readonly plans: PlansStore,
    private readonly deployments: DeploymentsStore,
    private readonly cancellations: CancellationsService,
  ) {}

  onModuleInit(): void {
    this.jobs.registerHandler<DeploymentPayload>(DEPLOYMENTS_QUEUE, {
      concurrency: CONCURRENCY,
      reserve: RESERVE,
      handle: (job, context) => this.runner.run(job, context),
      authorize: async (actor, { payload }, wanted) => {
        if (wanted === 'cancel') await this.cancellations.authorize(actor, payload.deployment);
        else await this.deployments.get(actor, payload.deployment);
      },
      onEnded: (job) => this.interrupted.handleJobEnd(job),
      retryDelayMs: retryDeployment,
    });
    this.jobs.schedule('deployment-plans', HOUR_MS, () => this.plans.purge());
  }
}
