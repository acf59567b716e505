import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { DesignsModule } from '../designs/designs.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { Jobs } from '../jobs/jobs.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { KubernetesModule } from '../kubernetes/kubernetes.module.js';
import { WorkspaceQuotas } from '../workspaces/quotas/workspace-quotas.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ApprovalsService } from './approvals.service.js';
import { CancellationsService } from './cancellations.service.js';
import { DeployedDesignsStore } from './deployed-designs.store.js';
import { DeployedMoves } from './deployed-moves.js';
import { DeploymentAdmission } from './deployment-admission.js';
import { DeploymentAnswers } from './deployment-answers.js';
import { DeploymentRequests } from './deployment-requests.js';
import { DeploymentRights } from './deployment-rights.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsListeners } from './deployments.listeners.js';
import { DeploymentsResolver } from './deployments.resolver.js';
import { DeploymentsService } from './deployments.service.js';
import { DeploymentsStore } from './deployments.store.js';
import { DesignDeploymentsController } from './design-deployments.controller.js';
import { InUseProtection } from './in-use.js';
import { Adoption } from './plan/adoption.js';
import { PlansService } from './plan/plans.service.js';
import { RollbacksService } from './rollbacks.service.js';
import { ChangeJournalsStore } from './runs/change-journals.store.js';
import { ClusterRuns } from './runs/cluster-runs.js';
import { ClusterWork } from './runs/cluster-work.js';
import { DeploymentEndings } from './runs/deployment-endings.js';
import { type DeploymentPayload, DEPLOYMENTS_QUEUE, retryDeployment } from './runs/deployment-job.js';
import { DeploymentRunner } from './runs/deployment-runner.js';
import { UnfinishedRuns } from './runs/unfinished-runs.js';
import { Targets } from './targets/targets.js';
import { TargetsStore } from './targets/targets.store.js';

const HOUR_MS = 3_600_000;
const AT_ONCE = 4;

@Module({
  imports: [
    OrganizationsModule,
    ConnectionsModule,
    KubernetesModule,
    RegistryModule,
    EnvironmentsModule,
    WorkspacesModule,
    DesignsModule,
    JobsModule,
  ],
  controllers: [DesignDeploymentsController, DeploymentsController],
  providers: [
    DeploymentsService,
    DeploymentRequests,
    DeploymentRights,
    DeploymentAdmission,
    ApprovalsService,
    CancellationsService,
    RollbacksService,
    InUseProtection,
    DeployedMoves,
    DeploymentsListeners,
    Adoption,
    DeploymentsStore,
    DeployedDesignsStore,
    DeploymentAnswers,
    DeploymentRunner,
    DeploymentEndings,
    ClusterRuns,
    UnfinishedRuns,
    ChangeJournalsStore,
    DeploymentsResolver,
    ClusterWork,
    PlansService,
    Targets,
    TargetsStore,
  ],
  exports: [DeploymentsService],
})
export class DeploymentsModule {
  constructor(
    jobs: Jobs,
    runner: DeploymentRunner,
    plans: PlansService,
    store: DeploymentsStore,
    quotas: WorkspaceQuotas,
  ) {
    jobs.handle<DeploymentPayload>(DEPLOYMENTS_QUEUE, {
      concurrency: AT_ONCE,
      handler: (job, context) => runner.run(job, context),
      ended: (job) => runner.ended(job),
      retryIn: retryDeployment,
    });
    jobs.every('deployment-plans', HOUR_MS, () => plans.purge());

    quotas.countBy('max_deployments_per_day', (id) => store.countToday(id));
  }
}
