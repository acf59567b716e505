import { Module } from '@nestjs/common';
import { ConnectionDeleted } from '../connections/connection.events.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { Conflict } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { DesignDeleted, DesignMoved, DesignsDeleted } from '../designs/design.events.js';
import { DesignsModule } from '../designs/designs.module.js';
import { DesignRemoval } from '../designs/design-removal.service.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { Jobs } from '../jobs/jobs.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { KubernetesModule } from '../kubernetes/kubernetes.module.js';
import { WorkspaceQuotas } from '../workspaces/quotas/workspace-quotas.js';
import { WorkspaceArchived, WorkspaceDeleted } from '../workspaces/workspace.events.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { type DeployedDesign, DeployedDesignsStore } from './deployed-designs.store.js';
import { DeploymentAnswers } from './deployment-answers.js';
import { DeploymentRequests } from './deployment-requests.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsResolver } from './deployments.resolver.js';
import { DeploymentsService } from './deployments.service.js';
import { DeploymentsStore } from './deployments.store.js';
import { DesignDeploymentsController } from './design-deployments.controller.js';
import { PlansService } from './plan/plans.service.js';
import { ChangeJournalsStore } from './runs/change-journals.store.js';
import { ClusterRuns } from './runs/cluster-runs.js';
import { ClusterWork } from './runs/cluster-work.js';
import { DeploymentEndings } from './runs/deployment-endings.js';
import { type DeploymentPayload, DEPLOYMENTS_QUEUE, retryDeployment } from './runs/deployment-job.js';
import { DeploymentRunner } from './runs/deployment-runner.js';
import { UnfinishedRuns } from './runs/unfinished-runs.js';
import { placeOf, Targets } from './targets/targets.js';
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
    removal: DesignRemoval,
    deployments: DeploymentsService,
    answers: DeploymentAnswers,
    deployed: DeployedDesignsStore,
    store: DeploymentsStore,
    quotas: WorkspaceQuotas,
    events: EventBus,
  ) {
    jobs.handle<DeploymentPayload>(DEPLOYMENTS_QUEUE, {
      concurrency: AT_ONCE,
      handler: (job, context) => runner.run(job, context),
      ended: (job) => runner.ended(job),
      retryIn: retryDeployment,
    });
    jobs.every('deployment-plans', HOUR_MS, () => plans.purge());

    quotas.countBy('max_deployments_per_day', (id) => store.countToday(id));

    const mustNotBeUsed = async (side: Parameters<DeployedDesignsStore['by']>[0], id: string) =>
      refuse(await deployed.by(side, id));
    events.within(ConnectionDeleted, ({ connection }) => mustNotBeUsed('connection_id', connection.id));
    events.within(DesignDeleted, ({ design }) => mustNotBeUsed('design_id', design.id));
    events.within(DesignsDeleted, async ({ designs }) => {
      for (const { id } of designs) await mustNotBeUsed('design_id', id);
    });
    events.within(WorkspaceDeleted, async ({ actor, workspace }) => {
      await mustNotBeUsed('workspace_id', workspace.id);
      await deployments.stopAllOf(actor, workspace.id);
    });
    events.within(WorkspaceArchived, ({ actor, workspace }) => deployments.stopAllOf(actor, workspace.id));
    events.within(DesignMoved, ({ design }) => deployed.move(design.id, design.workspaceId));

    removal.beforeDeletion(async (actor, design, undeploy) => {
      const places = await deployed.by('design_id', design.id);
      if (!undeploy) return refuse(places);
      for (const { environmentId } of places)
        await answers.end(actor, await deployments.undeploy(actor, { id: design.id, environment_id: environmentId }));
    });
  }
}

function refuse(places: DeployedDesign[]): void {
  if (places.length === 0) return;
  throw new Conflict('IN_USE', `it is deployed in ${places.length} ${places.length === 1 ? 'place' : 'places'}`, {
    extensions: { deployments: places.map((place) => ({ design_id: place.designId, ...placeOf(place) })) },
    remedy: 'Undeploy first: DELETE /api/pattern/deploy.',
  });
}
