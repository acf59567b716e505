import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { DesignsModule } from '../designs/designs.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { KubernetesModule } from '../kubernetes/kubernetes.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ApprovalExpiryListeners } from './approvals/approval-expiry.listeners.js';
import { ApprovalExpiryService } from './approvals/approval-expiry.service.js';
import { ApprovalRulesService } from './admission/approval-rules.service.js';
import { ApprovalsService } from './approvals/approvals.service.js';
import { CancellationsService } from './requests/cancellations.service.js';
import { DeploymentDiagramsController } from './diagrams/deployment-diagrams.controller.js';
import { DeploymentDiagramsService } from './diagrams/deployment-diagrams.service.js';
import { EnvironmentDiagramsController } from './diagrams/environment-diagrams.controller.js';
import { EnvironmentDiagramsService } from './diagrams/environment-diagrams.service.js';
import { EnvironmentResourcesStore } from './diagrams/environment-resources.store.js';
import { ResourceStatesStore } from './diagrams/resource-states.store.js';
import { DeployedDesignsStore } from './deployed-designs.store.js';
import { DeployedDesignsService } from './protection/deployed-designs.service.js';
import { DeploymentAdmissionService } from './admission/deployment-admission.service.js';
import { DeploymentPresenter } from './requests/deployment.presenter.js';
import { DeploymentRequestsService } from './requests/deployment-requests.service.js';
import { DeploymentRightsService } from './admission/deployment-rights.service.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsListeners } from './protection/deployments.listeners.js';
import { DeploymentsResolver } from './deployments.resolver.js';
import { DeploymentsService } from './deployments.service.js';
import { DeploymentsStore } from './deployments.store.js';
import { DesignDeploymentsController } from './requests/design-deployments.controller.js';
import { InUseProtectionService } from './protection/in-use-protection.service.js';
import { AdoptionService } from './plans/adoption.service.js';
import { PlanReadingService } from './plans/plan-reading.service.js';
import { PlansController } from './plans/plans.controller.js';
import { PlansService } from './plans/plans.service.js';
import { PlanCreationService } from './plans/plan-creation.service.js';
import { PromotionsService } from './requests/promotions.service.js';
import { RollbacksService } from './requests/rollbacks.service.js';
import { ChangeJournalsStore } from './runs/change-journals.store.js';
import { ClusterDeploymentsService } from './runs/cluster-deployments.service.js';
import { ClusterUndeploymentsService } from './runs/cluster-undeployments.service.js';
import { DeploymentProgressService } from './runs/deployment-progress.service.js';
import { ClusterRunsService } from './runs/cluster-runs.service.js';
import { DeployedNamespacesService } from './plans/deployed-namespaces.service.js';
import { DeploymentContextService } from './plans/deployment-context.service.js';
import { DeploymentCompletionService } from './runs/deployment-completion.service.js';
import { DeploymentRunner } from './runs/deployment.runner.js';
import { UnfinishedRunsService } from './runs/unfinished-runs.service.js';
import { DeploymentQuotaService } from './admission/deployment-quota.service.js';
import { FreezeAdmissionService } from './admission/freeze-admission.service.js';
import { LogsController } from './logs/logs.controller.js';
import { LogsService } from './logs/logs.service.js';
import { SealedValuesLookup } from './plans/sealed-values-lookup.service.js';
import { PoliciesController } from './policies/policies.controller.js';
import { PoliciesService } from './policies/policies.service.js';
import { PoliciesStore } from './policies/policies.store.js';
import { PolicyChecksService } from './policies/policy-checks.service.js';
import { PolicyEvaluationService } from './policies/policy-evaluation.service.js';
import { PolicyValidationListeners } from './policies/policy-validation.listeners.js';
import { PolicyTrialsService } from './policies/policy-trials.service.js';
import { PlanConditionsService } from './plans/plan-conditions.service.js';
import { RequestedDesignsService } from './admission/requested-designs.service.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { PendingDeploymentsService } from './approvals/pending-deployments.service.js';
import { ClusterPlansService } from './plans/cluster-plans.service.js';
import { PlansStore } from './plans/plans.store.js';
import { RequestedVersionsService } from './plans/requested-versions.service.js';
import { DesignDeletionListeners } from './protection/design-deletion.listeners.js';
import { DeploymentChangesController } from './requests/deployment-changes.controller.js';
import { DeploymentConditionsService } from './requests/deployment-conditions.service.js';
import { DeploymentQueueService } from './requests/deployment-queue.service.js';
import { DesignDeploymentsService } from './requests/design-deployments.service.js';
import { DeployRights } from './requests/deploy-rights.service.js';
import { UndeploymentsService } from './requests/undeployments.service.js';
import { DeploymentJobsListeners } from './runs/deployment-jobs.listeners.js';
import { DeploymentMetricsListeners } from './runs/deployment-metrics.listeners.js';
import { DeploymentStartService } from './runs/deployment-start.service.js';
import { InterruptedDeploymentsService } from './runs/interrupted-deployments.service.js';
import { BusyClusters } from './busy-clusters.js';
import { DeploymentHealthService } from './deployment-health.service.js';
import { KeptObjectsStore } from './kept-objects.store.js';
import { DeployedDriftStore } from './drift/deployed-drift.store.js';
import { DriftChecksService } from './drift/drift-checks.service.js';
import { DriftController } from './drift/drift.controller.js';
import { DriftListeners } from './drift/drift.listeners.js';
import { DriftService } from './drift/drift.service.js';
import { SelfHealingService } from './drift/self-healing.service.js';
import { ClusterResourcesController } from './resources/cluster-resources.controller.js';
import { ObjectRedactorsListeners } from './resources/object-redactors.listeners.js';
import { WatchedNamespacesListeners } from './resources/watched-namespaces.listeners.js';
import { DesignSecretsService } from './design-secrets.service.js';
import { RunningResourcesService } from './resources/running-resources.service.js';
import { TargetsService } from './targets/targets.service.js';
import { TargetsStore } from './targets/targets.store.js';

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
  controllers: [
    DesignDeploymentsController,
    DeploymentsController,
    DeploymentChangesController,
    PlansController,
    ApprovalsController,
    DeploymentDiagramsController,
    EnvironmentDiagramsController,
    PoliciesController,
    LogsController,
    ClusterResourcesController,
    DriftController,
  ],
  providers: [
    DeploymentsService,
    PlanReadingService,
    DeploymentRequestsService,
    DeploymentRightsService,
    DeploymentAdmissionService,
    ApprovalExpiryListeners,
    DeploymentDiagramsService,
    EnvironmentDiagramsService,
    EnvironmentResourcesStore,
    ResourceStatesStore,
    ApprovalExpiryService,
    ApprovalRulesService,
    ApprovalsService,
    CancellationsService,
    RollbacksService,
    PromotionsService,
    InUseProtectionService,
    DeployedDesignsService,
    DeploymentsListeners,
    DeploymentJobsListeners,
    DeploymentMetricsListeners,
    AdoptionService,
    DeploymentsStore,
    DeployedDesignsStore,
    DeploymentPresenter,
    DeploymentQuotaService,
    FreezeAdmissionService,
    PoliciesService,
    LogsService,
    SealedValuesLookup,
    PoliciesStore,
    PolicyChecksService,
    PolicyEvaluationService,
    PolicyTrialsService,
    PolicyValidationListeners,
    PlanConditionsService,
    RequestedDesignsService,
    RequestedVersionsService,
    PendingDeploymentsService,
    ClusterPlansService,
    PlansStore,
    DesignDeletionListeners,
    DeploymentConditionsService,
    DeploymentQueueService,
    DesignDeploymentsService,
    UndeploymentsService,
    DeployRights,
    DeploymentJobsListeners,
    DeploymentStartService,
    InterruptedDeploymentsService,
    DeploymentRunner,
    DeploymentCompletionService,
    ClusterRunsService,
    ClusterDeploymentsService,
    ClusterUndeploymentsService,
    DeploymentProgressService,
    UnfinishedRunsService,
    ChangeJournalsStore,
    DeploymentsResolver,
    DeploymentContextService,
    DeployedNamespacesService,
    PlansService,
    PlanCreationService,
    TargetsService,
    TargetsStore,
    RunningResourcesService,
    DesignSecretsService,
    ObjectRedactorsListeners,
    WatchedNamespacesListeners,
    DeploymentHealthService,
    DeployedDriftStore,
    KeptObjectsStore,
    BusyClusters,
    DriftChecksService,
    DriftListeners,
    DriftService,
    SelfHealingService,
  ],
  exports: [DeploymentsService, DriftService, RunningResourcesService],
})
export class DeploymentsModule {}
