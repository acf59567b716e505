import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import type { Workspace } from '../workspace.entity.js';
import type { WorkspaceRole } from '../grants/workspace-grant.js';

/** A user with a granted role, or a team. */
export type Grantee = { userId: string; email: string } | { teamId: string; name: string };

/** A change of the roles in a workspace. */
abstract class WorkspaceMemberEvent extends DomainEvent {
  readonly category = 'member';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly workspace: Workspace,
    readonly grantee: Grantee,
    role: WorkspaceRole | null,
  ) {
    super(
      actor,
      {
        id: 'teamId' in grantee ? grantee.teamId : grantee.userId,
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
      },
      {
        ...('teamId' in grantee ? { team: grantee.name } : { email: grantee.email }),
        workspace: workspace.name,
        ...(role ? { role } : {}),
        of: 'workspace',
      },
    );
  }

  get description(): string {
    const who = 'teamId' in this.grantee ? `Team ${this.grantee.name}` : this.grantee.email;
    return `${who} ${this.verb} workspace ${this.workspace.name}`;
  }
}

export class WorkspaceMemberAdded extends WorkspaceMemberEvent {
  readonly action = 'added';
  protected readonly verb = 'was added to';
}

export class WorkspaceMemberRoleChanged extends WorkspaceMemberEvent {
  readonly action = 'role_changed';
  protected readonly verb = 'was given a different role in';
}

export class WorkspaceMemberRemoved extends WorkspaceMemberEvent {
  readonly action = 'removed';
  protected readonly verb = 'was removed from';
}
