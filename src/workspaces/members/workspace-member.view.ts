import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../../core/listing/page.js';
import { IdField, RecordsField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { WORKSPACE_ROLES, toWorkspaceRole, type WorkspaceRole } from './workspace-grant.js';

/** A user who has a role in the workspace: granted to them, to teams of theirs, or both; the strongest counts. */
export interface WorkspaceMember {
  userId: string;
  email: string;
  role: number;
  /** The role granted to the user; null when they have theirs through teams only. */
  granted: number | null;
  through: { teamId: string; name: string; role: number }[];
  createdAt: Date;
}

@ObjectType('WorkspaceMemberTeam')
export class MemberTeamView {
  @IdField()
  team_id!: string;

  @TextField()
  name!: string;

  @WordField(WORKSPACE_ROLES)
  role!: WorkspaceRole;
}

@ObjectType('WorkspaceMember')
export class WorkspaceMemberView {
  @IdField()
  user_id!: string;

  @TextField()
  email!: string;

  @WordField(WORKSPACE_ROLES, { description: 'The strongest of all that were granted.' })
  role!: WorkspaceRole;

  @WordField(WORKSPACE_ROLES, {
    nullable: true,
    description: 'Granted to the user; null when only to teams of theirs.',
  })
  granted!: WorkspaceRole | null;

  @RecordsField(() => MemberTeamView, { description: 'The teams that give the user a role here.' })
  through!: MemberTeamView[];

  @TimeField()
  created_at!: Date;

  static fromMember(
    this: void,
    { userId, email, role, granted, through, createdAt }: WorkspaceMember,
  ): WorkspaceMemberView {
    return Object.assign(new WorkspaceMemberView(), {
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
