import { withRevision } from '../../core/schema/record.view.js';
import { PaginatedView } from '../../core/listing/page.js';
import { IdField, RecordsField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { WORKSPACE_ROLES, toWorkspaceRole, type WorkspaceRole } from '../grants/workspace-grant.js';
import type { WorkspaceMember } from '../grants/workspace-members.store.js';

export class MemberTeamView {
  @IdField()
  team_id!: string;

  @TextField()
  name!: string;

  @WordField(WORKSPACE_ROLES)
  role!: WorkspaceRole;
}

export class WorkspaceMemberView {
  @IdField()
  user_id!: string;

  @TextField()
  email!: string;

  @WordField(WORKSPACE_ROLES, { description: 'The strongest of all that were granted.' })
  role!: WorkspaceRole;

  @WordField(WORKSPACE_ROLES, {
    nullable: true,
    description: 'Granted to the user; null when granted only to their teams.',
  })
  granted!: WorkspaceRole | null;

  @RecordsField(() => MemberTeamView, { description: 'The teams that give the user a role here.' })
  through!: MemberTeamView[];

  @TimeField()
  created_at!: Date;

  static fromMember(this: void, member: WorkspaceMember): WorkspaceMemberView {
    const { userId, email, role, granted, through, createdAt } = member;
    return Object.assign(withRevision(new WorkspaceMemberView(), member), {
      user_id: userId,
      email,
      role: toWorkspaceRole(role),
      granted: granted === null ? null : toWorkspaceRole(granted),
      through: through.map((team) => ({ team_id: team.teamId, name: team.name, role: toWorkspaceRole(team.role) })),
      created_at: createdAt,
    });
  }
}

export const WorkspaceMemberPage = PaginatedView(WorkspaceMemberView, 'members', 'WorkspaceMemberPage');
