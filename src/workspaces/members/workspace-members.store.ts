import { Injectable } from '@nestjs/common';
import { rank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { WorkspaceMember, WorkspaceRole } from './workspace-member.view.js';

const MEMBER = `SELECT u.id AS "userId", u.email, g.role, g.created_at AS "createdAt"
  FROM workspace_member g JOIN app_user u ON u.id = g.user_id WHERE g.workspace_id = $1`;

@Injectable()
export class WorkspaceMembersStore {
  constructor(private readonly unit: UnitOfWork) {}

  list(workspaceId: string): Promise<WorkspaceMember[]> {
    return this.unit.manager.query(`${MEMBER} ORDER BY u.email, u.id`, [workspaceId]);
  }

  async find(workspaceId: string, userId: string): Promise<WorkspaceMember | null> {
    const [member] = await this.unit.manager.query<WorkspaceMember[]>(`${MEMBER} AND u.id = $2`, [workspaceId, userId]);
    return member ?? null;
  }

  async put(workspaceId: string, userId: string, role: WorkspaceRole): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO workspace_member (workspace_id, user_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
      [workspaceId, userId, rank(role)],
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

  async isInOrganization(organizationId: string, userId: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT 1 FROM organization_member WHERE organization_id = $1 AND user_id = $2`,
      [organizationId, userId],
    );
    return rows.length > 0;
  }
}
