import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../../core/listing/page.js';
import { IdField, IntField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { WORKSPACE_ROLES, toWorkspaceRole, type WorkspaceRole } from '../members/workspace-grant.js';

/** A team that a role in the workspace was granted to. */
export interface GrantedTeam {
  teamId: string;
  name: string;
  role: number;
  /** How many users are in it. */
  members: number;
  createdAt: Date;
}

@ObjectType('WorkspaceTeam')
export class WorkspaceTeamView {
  @IdField()
  team_id!: string;

  @TextField()
  name!: string;

  @WordField(WORKSPACE_ROLES)
  role!: WorkspaceRole;

  @IntField({ description: 'How many users are in the team.' })
  members!: number;

  @TimeField()
  created_at!: Date;

  static fromTeam(this: void, { teamId, name, role, members, createdAt }: GrantedTeam): WorkspaceTeamView {
    return Object.assign(new WorkspaceTeamView(), {
      team_id: teamId,
      name,
      role: toWorkspaceRole(role),
      members,
      created_at: createdAt,
    });
  }
}

export const WorkspaceTeamPage = PaginatedView(WorkspaceTeamView, 'teams', 'WorkspaceTeamPage');
