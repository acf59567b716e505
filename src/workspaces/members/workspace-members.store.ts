import { Injectable } from '@nestjs/common';
import { roleRank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Workspace } from '../workspace.entity.js';
import type { WorkspaceRole } from './workspace-grant.js';
import type { WorkspaceMember } from './workspace-member.view.js';

/** Everyone with a role in a workspace ($1), once for each way they came to it. */
const GRANTS = `
  SELECT user_id, role, created_at, NULL::uuid AS team_id, NULL AS name FROM workspace_member WHERE workspace_id = $1
  UNION ALL
  SELECT m.user_id, held.role, held.created_at, t.id, t.name
    FROM workspace_team held
    JOIN team t ON t.id = held.team_id AND t.deleted_at IS NULL
    JOIN team_member m ON m.team_id = t.id
   WHERE held.workspace_id = $1`;

const MEMBERS = `
  SELECT u.id AS "userId", u.email, max(g.role) AS role, max(g.role) FILTER (WHERE g.team_id IS NULL) AS granted,
         coalesce(json_agg(json_build_object('teamId', g.team_id, 'name', g.name, 'role', g.role) ORDER BY g.name, g.team_id)
           FILTER (WHERE g.team_id IS NOT NULL), '[]') AS through,
         min(g.created_at) AS "createdAt"
    FROM (${GRANTS}) g JOIN app_user u ON u.id = g.user_id`;

/** Someone who administers a workspace, and with which rank. */
export interface WorkspaceAdministrator {
  id: string;
  email: string;
  name: string;
  role: number;
}

@Injectable()
export class WorkspaceMembersStore {
  constructor(private readonly unit: UnitOfWork) {}

  list(workspaceId: string): Promise<WorkspaceMember[]> {
    return this.unit.manager.query(`${MEMBERS} GROUP BY u.id ORDER BY u.email, u.id`, [workspaceId]);
  }

  async find(workspaceId: string, userId: string): Promise<WorkspaceMember | null> {
    const [member] = await this.unit.manager.query<WorkspaceMember[]>(`${MEMBERS} WHERE u.id = $2 GROUP BY u.id`, [
      workspaceId,
      userId,
    ]);
    return member ?? null;
  }

  /** How many users have a role, or would have one if a team were granted one too. */
  async count(workspaceId: string, withTeam: string | null = null): Promise<number> {
    const [row] = await this.unit.manager.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM (
         SELECT user_id FROM (${GRANTS}) g UNION SELECT user_id FROM team_member WHERE team_id = $2) one`,
      [workspaceId, withTeam],
    );
    return row?.count ?? 0;
  }

  async setRole(workspaceId: string, userId: string, role: WorkspaceRole): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO workspace_member (workspace_id, user_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
      [workspaceId, userId, roleRank(role)],
    );
  }

  async remove(workspaceId: string, userId: string): Promise<void> {
    await this.unit.manager.query(`DELETE FROM workspace_member WHERE workspace_id = $1 AND user_id = $2`, [
      workspaceId,
      userId,
    ]);
  }

  /** Whoever leaves an organization loses every grant in its workspaces. */
  async removeFromOrganization(organizationId: string, userId: string): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM workspace_member g USING workspace w
        WHERE w.id = g.workspace_id AND w.organization_id = $1 AND g.user_id = $2`,
      [organizationId, userId],
    );
  }

  /** Holds a membership until the end of the unit of work; answers whether there is one. */
  async lockMembership(organizationId: string, userId: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT 1 FROM organization_member WHERE organization_id = $1 AND user_id = $2 FOR UPDATE`,
      [organizationId, userId],
    );
    return rows.length > 0;
  }

  async isInOrganization(organizationId: string, userId: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT 1 FROM organization_member WHERE organization_id = $1 AND user_id = $2`,
      [organizationId, userId],
    );
    return rows.length > 0;
  }

  /** The people who administer the workspace or its organization, and can sign in. */
  findAdministrators({ id, organizationId }: Workspace): Promise<WorkspaceAdministrator[]> {
    return this.unit.manager.query(
      `SELECT u.id, u.email, trim(u.first_name || ' ' || u.last_name) AS name, r.role
         FROM (SELECT user_id, max(role) AS role FROM access_role
                WHERE organization_id = $1 AND role >= $3
                  AND (resource_type = 'organization' OR (resource_type = 'workspace' AND resource_id = $2))
                GROUP BY user_id) r
         JOIN app_user u ON u.id = r.user_id
        WHERE u.kind = 'person' AND u.deactivated_at IS NULL AND u.deleted_at IS NULL
        ORDER BY u.email, u.id`,
      [organizationId, id, roleRank('admin')],
    );
  }
}
