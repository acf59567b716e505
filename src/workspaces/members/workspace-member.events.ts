import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import type { Workspace } from '../workspace.entity.js';
import type { WorkspaceRole } from './workspace-member.view.js';

/** Who has a role in a workspace changed. */
abstract class WorkspaceMemberEvent extends DomainEvent {
  readonly category = 'member';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly workspace: Workspace,
    readonly member: { userId: string; email: string },
    role: WorkspaceRole | null,
  ) {
    super(
      actor,
      { id: member.userId, organizationId: workspace.organizationId, workspaceId: workspace.id },
      { email: member.email, workspace: workspace.name, ...(role ? { role } : {}), of: 'workspace' },
    );
  }

  get description(): string {
    return `${this.member.email} ${this.verb} workspace ${this.workspace.name}`;
  }
}

export class WorkspaceMemberAdded extends WorkspaceMemberEvent {
  readonly action = 'added';
  protected readonly verb = 'was added to';
}

export class WorkspaceMemberRoleChanged extends WorkspaceMemberEvent {
  readonly action = 'role_changed';
  protected readonly verb = 'got another role in';
}

export class WorkspaceMemberRemoved extends WorkspaceMemberEvent {
  readonly action = 'removed';
  protected readonly verb = 'was removed from';
}
