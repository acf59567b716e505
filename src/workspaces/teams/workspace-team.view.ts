import { withRevision } from '../../core/schema/record.view.js';
import { PaginatedView } from '../../core/listing/page.js';
import { IdField, IntField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { WORKSPACE_ROLES, toWorkspaceRole, type WorkspaceRole } from '../grants/workspace-grant.js';
import type { GrantedTeam } from '../grants/workspace-teams.store.js';

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

  static fromTeam(this: void, team: GrantedTeam): WorkspaceTeamView {
    const { teamId, name, role, members, createdAt } = team;
    return Object.assign(withRevision(new WorkspaceTeamView(), team), {
      team_id: teamId,
      name,
      role: toWorkspaceRole(role),
      members,
      created_at: createdAt,
    });
  }
}

export const WorkspaceTeamPage = PaginatedView(WorkspaceTeamView, 'teams', 'WorkspaceTeamPage');
