import { Injectable } from '@nestjs/common';
import { roleRank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { WorkspaceRole } from '../members/workspace-grant.js';
import type { GrantedTeam } from './workspace-team.view.js';

const TEAM = `
  SELECT t.id AS "teamId", t.name, held.role, held.created_at AS "createdAt",
         (SELECT count(*)::int FROM team_member m WHERE m.team_id = t.id) AS members
    FROM workspace_team held JOIN team t ON t.id = held.team_id AND t.deleted_at IS NULL
   WHERE held.workspace_id = $1`;

@Injectable()
export class WorkspaceTeamsStore {
  constructor(private readonly unit: UnitOfWork) {}

  list(workspaceId: string): Promise<GrantedTeam[]> {
    return this.unit.manager.query(`${TEAM} ORDER BY t.name, t.id`, [workspaceId]);
  }

  async find(workspaceId: string, teamId: string): Promise<GrantedTeam | null> {
    const [team] = await this.unit.manager.query<GrantedTeam[]>(`${TEAM} AND t.id = $2`, [workspaceId, teamId]);
    return team ?? null;
  }

  async setRole(workspaceId: string, teamId: string, role: WorkspaceRole): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO workspace_team (workspace_id, team_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (workspace_id, team_id) DO UPDATE SET role = excluded.role`,
      [workspaceId, teamId, roleRank(role)],
    );
  }

  async remove(workspaceId: string, teamId: string): Promise<void> {
    await this.unit.manager.query(`DELETE FROM workspace_team WHERE workspace_id = $1 AND team_id = $2`, [
      workspaceId,
      teamId,
    ]);
  }

  /** Holds the team, so that nobody joins or deletes it while it is counted; answers whether the organization has it. */
  async lockTeam(organizationId: string, teamId: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT 1 FROM team WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL FOR UPDATE`,
      [teamId, organizationId],
    );
    return rows.length > 0;
  }
}
