import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { Precondition } from '../../core/rest/precondition.js';
import { EnvironmentsService } from '../../environments/environments.service.js';
import { EnvironmentAssigned, EnvironmentUnassigned } from '../workspace.events.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import { WorkspacesService } from '../workspaces.service.js';
import type { WorkspaceEnvironment } from './workspace-environment.entity.js';
import { WorkspaceEnvironmentsStore } from './workspace-environments.store.js';

/**
 * The maximum number of workspaces that an environment is assigned to. Deleting the environment removes all assignments in one
 * transaction, with an event for each workspace.
 */
const MAX_WORKSPACES = 10_000;

/** Assigns environments to workspaces, whose members can then see them and their connections. */
@Injectable()
export class WorkspaceEnvironmentsService {
  constructor(
    private readonly mappings: WorkspaceEnvironmentsStore,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly environments: EnvironmentsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Requires an admin of the workspace who may also manage the environment; otherwise anyone who sees production could assign it to
   * a workspace of their own.
   */
  async assign(actor: Actor, workspaceId: string, environmentId: string): Promise<WorkspaceEnvironment> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getForUpdate(actor, workspaceId, 'assignEnvironment', Precondition.none);
      const environment = await this.environments.getActiveForUpdate(actor, environmentId, 'assign');
      if (environment.organizationId !== workspace.organizationId) throw new NotFound('environment', environmentId);
      if (!(await this.mappings.has(workspaceId, environmentId))) {
        await this.quotas.assertWithinLimit(workspace, 'max_environments');
        if ((await this.mappings.countOfEnvironment(environmentId)) >= MAX_WORKSPACES) throw tooManyWorkspaces();
      }
      const { mapping, added } = await this.mappings.add(workspace.organizationId, workspaceId, environmentId);
      if (added) await this.events.publish(new EnvironmentAssigned(actor, workspace, environment));
      return mapping;
    });
  }

  /** Removes an assignment. Listeners refuse while something is deployed there. @throws NotFound when the environment is not assigned */
  async unassign(
    actor: Actor,
    workspaceId: string,
    environmentId: string,
    match: Precondition,
  ): Promise<WorkspaceEnvironment> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getForUpdate(
        actor,
        workspaceId,
        'unassignEnvironment',
        Precondition.none,
      );
      const mapping = await this.mappings.lock(workspaceId, environmentId);
      if (!mapping) throw new NotFound('environment', environmentId);
      match.assertMatches(mapping);
      await this.mappings.softDelete(mapping);
      await this.events.publish(new EnvironmentUnassigned(actor, workspace, environmentId));
      return mapping;
    });
  }
}

const tooManyWorkspaces = (): Conflict =>
  new Conflict('QUOTA_EXCEEDED', `the environment is assigned to ${MAX_WORKSPACES} workspaces already`, {
    remedy: 'Unassign it where it is not needed any more, or make another environment with the same connections.',
  });
