import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { DesignsModule } from '../designs/designs.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { JobsService } from '../jobs/jobs.service.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { KubernetesModule } from '../kubernetes/kubernetes.module.js';
import { WorkspaceQuotasService } from '../workspaces/quotas/workspace-quotas.service.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ApprovalsService } from './approvals.service.js';
import { CancellationsService } from './cancellations.service.js';
import { DeployedDesignsStore } from './deployed-designs.store.js';
import { DeployedDesignsService } from './deployed-designs.service.js';
import { DeploymentAdmissionService } from './deployment-admission.service.js';
import { DeploymentPresenter } from './deployment.presenter.js';
import { DeploymentRequestsService } from './deployment-requests.service.js';
import { DeploymentRightsService } from './deployment-rights.service.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsListeners } from './deployments.listeners.js';
import { DeploymentsResolver } from './deployments.resolver.js';
import { DeploymentsService } from './deployments.service.js';
import { DeploymentsStore } from './deployments.store.js';
import { DesignDeploymentsController } from './design-deployments.controller.js';
import { InUseProtectionService } from './in-use-protection.service.js';
import { AdoptionService } from './plan/adoption.service.js';
import { PlansService } from './plan/plans.service.js';
import { RollbacksService } from './rollbacks.service.js';
import { ChangeJournalsStore } from './runs/change-journals.store.js';
import { ClusterRunsService } from './runs/cluster-runs.service.js';
import { DeploymentContextService } from './runs/deployment-context.service.js';
import { DeploymentCompletionService } from './runs/deployment-completion.service.js';
import { type DeploymentPayload, DEPLOYMENTS_QUEUE, retryDeployment } from './runs/deployment-job.js';
import { DeploymentRunner } from './runs/deployment.runner.js';
import { UnfinishedRunsService } from './runs/unfinished-runs.service.js';
import { TargetsService } from './targets/targets.service.js';
import { TargetsStore } from './targets/targets.store.js';

const HOUR_MS = 3_600_000;
const CONCURRENCY = 4;

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
    DeploymentRequestsService,
    DeploymentRightsService,
    DeploymentAdmissionService,
    ApprovalsService,
    CancellationsService,
    RollbacksService,
    InUseProtectionService,
    DeployedDesignsService,
    DeploymentsListeners,
    AdoptionService,
    DeploymentsStore,
    DeployedDesignsStore,
    DeploymentPresenter,
    DeploymentRunner,
    DeploymentCompletionService,
    ClusterRunsService,
    UnfinishedRunsService,
    ChangeJournalsStore,
    DeploymentsResolver,
    DeploymentContextService,
    PlansService,
    TargetsService,
    TargetsStore,
  ],
  exports: [DeploymentsService],
})
export class DeploymentsModule {
  constructor(
    jobs: JobsService,
    runner: DeploymentRunner,
    plans: PlansService,
    store: DeploymentsStore,
    quotas: WorkspaceQuotasService,
  ) {
    jobs.registerHandler<DeploymentPayload>(DEPLOYMENTS_QUEUE, {
      concurrency: CONCURRENCY,
      handle: (job, context) => runner.run(job, context),
      onEnded: (job) => runner.onJobEnded(job),
      retryDelayMs: retryDeployment,
    });
    jobs.schedule('deployment-plans', HOUR_MS, () => plans.purge());

    quotas.registerCounter('max_deployments_per_day', (id) => store.countToday(id));
  }
}
