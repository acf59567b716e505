import type { Actor } from '../core/access/actor.js';
import { DomainEvent } from '../core/events/domain-event.js';
import type { Workspace } from './workspace.entity.js';

/** Base class of the events of a workspace. */
export abstract class WorkspaceEvent extends DomainEvent {
  readonly category = 'workspace';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly workspace: Workspace,
    metadata: Record<string, unknown> = {},
  ) {
    super(
      actor,
      { id: workspace.id, organizationId: workspace.organizationId, workspaceId: workspace.id },
      { name: workspace.name, ...metadata },
    );
  }

  get description(): string {
    return `Workspace ${this.workspace.name} ${this.verb}`;
  }
}

export class WorkspaceCreated extends WorkspaceEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class WorkspaceUpdated extends WorkspaceEvent {
  readonly action = 'updated';
  protected readonly verb = 'was changed';
}

export class WorkspaceArchived extends WorkspaceEvent {
  readonly action = 'archived';
  protected readonly verb = 'was archived';
}

/** The workspace is active again; `deletedAt` is when it was deleted, null when it was only archived. */
export class WorkspaceRestored extends WorkspaceEvent {
  readonly action = 'restored';
  protected readonly verb = 'was restored';

  constructor(
    actor: Actor,
    workspace: Workspace,
    readonly deletedAt: Date | null,
  ) {
    super(actor, workspace);
  }
}

/** Listeners veto it while something is deployed from the workspace. */
export class WorkspaceDeleted extends WorkspaceEvent {
  readonly action = 'deleted';
  protected readonly verb = 'was deleted';
}

export class EnvironmentAssigned extends WorkspaceEvent {
  readonly action = 'environment_assigned';
  protected readonly verb = 'had an environment assigned';

  constructor(actor: Actor, workspace: Workspace, environment: { id: string; name: string }) {
    super(actor, workspace, { environment_id: environment.id, environment: environment.name });
  }
}

/** Listeners veto it while deployments of the workspace use the environment. */
export class EnvironmentUnassigned extends WorkspaceEvent {
  readonly action = 'environment_unassigned';
  protected readonly verb = 'had an environment unassigned';

  constructor(
    actor: Actor,
    workspace: Workspace,
    readonly environmentId: string,
  ) {
    super(actor, workspace, { environment_id: environmentId });
  }
}

/** The environment was deleted, which requires that nothing is deployed there. */
export class DeletedEnvironmentUnassigned extends WorkspaceEvent {
  readonly action = 'environment_unassigned';
  protected readonly verb = 'lost an environment that was deleted';

  constructor(actor: Actor, workspace: Workspace, environmentId: string) {
    super(actor, workspace, { environment_id: environmentId });
  }
}

export class WorkspaceQuotaChanged extends WorkspaceEvent {
  readonly action = 'quota_changed';
  protected readonly verb = 'had its quotas changed';
}
