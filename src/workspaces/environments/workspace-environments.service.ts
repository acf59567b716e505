import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { toRelatedRecords } from '../../core/database/related-records.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import type { Environment } from '../../environments/environment.entity.js';
import { EnvironmentsService } from '../../environments/environments.service.js';
import { EnvironmentsStore } from '../../environments/environments.store.js';
import { EnvironmentAssigned, EnvironmentUnassigned } from '../workspace.events.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import { WorkspacesService } from '../workspaces.service.js';
import type { WorkspaceEnvironment } from './workspace-environment.entity.js';
import { WorkspaceEnvironmentsStore } from './workspace-environments.store.js';

const MAX_LISTED = 100;

/** Which environments a workspace has; its members see them, and their connections. */
@Injectable()
export class WorkspaceEnvironmentsService {
  constructor(
    private readonly mappings: WorkspaceEnvironmentsStore,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly environments: EnvironmentsService,
    private readonly environmentsStore: EnvironmentsStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, workspaceId: string, query: ListQuery): Promise<Page<Environment>> {
    await this.workspaces.get(actor, workspaceId);
    return this.environmentsStore.pageOfWorkspace(actor, workspaceId, query);
  }

  /** The environments of each of these workspaces that the actor may see: two statements, however many there are. */
  async listByWorkspace(actor: Actor, workspaceIds: readonly string[]): Promise<Map<string, Environment[]>> {
    const pairs = await this.mappings.findRightIds(workspaceIds, MAX_LISTED);
    return toRelatedRecords(pairs, await this.environmentsStore.findAll(actor, [...pairs.values()].flat()));
  }

  /** Needs an admin of the workspace who also rules the environment: else anyone who sees production could assign it to themselves. */
  async assign(actor: Actor, workspaceId: string, environmentId: string): Promise<WorkspaceEnvironment> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getActiveForUpdate(actor, workspaceId, 'assignEnvironment');
      const environment = await this.environments.getActiveForUpdate(actor, environmentId, 'assign');
      if (environment.organizationId !== workspace.organizationId) throw new NotFound('environment', environmentId);
      if (!(await this.mappings.has(workspaceId, environmentId)))
        await this.quotas.assertWithinLimit(workspace, 'max_environments');
      const { mapping, added } = await this.mappings.add(workspace.organizationId, workspaceId, environmentId);
      if (added)
        await this.events.publish(
          new EnvironmentAssigned(actor, workspace, { environment_id: environmentId, environment: environment.name }),
        );
      return mapping;
    });
  }

  /** Listeners refuse while something is deployed there. @throws NotFound when the environment is not assigned to the workspace */
  async unassign(actor: Actor, workspaceId: string, environmentId: string): Promise<WorkspaceEnvironment> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getActiveForUpdate(actor, workspaceId, 'unassignEnvironment');
      const mapping = await this.mappings.remove(workspaceId, environmentId);
      if (!mapping) throw new NotFound('environment', environmentId);
      await this.events.publish(new EnvironmentUnassigned(actor, workspace, environmentId));
      return mapping;
    });
  }
}
