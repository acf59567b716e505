import { Injectable } from '@nestjs/common';
import { roleRank } from '../../core/access/roles.js';
import { EntitySelect } from '../../core/database/entity-select.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { paginate } from '../../core/listing/paginate.js';
import { User } from '../../organizations/users/user.entity.js';
import type { WorkspaceRole } from './workspace-grant.js';

/** A user with a role in the workspace: granted to the user, to their teams, or both; the strongest counts. */
export interface WorkspaceMember {
  /** The ids of the workspace and the user. */
  id: [string, string];
  userId: string;
  email: string;
  role: number;
  /** The role granted to the user; null when they have a role only through teams. */
  granted: number | null;
  through: { teamId: string; name: string; role: number }[];
  createdAt: Date;
  /** The granted role, which is the only field that can change, serves as the revision. */
  revision: number;
}

/** All grants in a workspace ($1) by user; a user appears once for each grant. */
const GRANTS = `
  SELECT user_id, role, created_at, NULL::uuid AS team_id, NULL AS name FROM workspace_member WHERE workspace_id = $1
  UNION ALL
  SELECT m.user_id, held.role, held.created_at, t.id, t.name
    FROM workspace_team held
    JOIN team t ON t.id = held.team_id AND t.deleted_at IS NULL
    JOIN team_member m ON m.team_id = t.id
   WHERE held.workspace_id = $1`;

const MEMBERS = `
  SELECT ARRAY[$1::uuid, u.id] AS id, u.id AS "userId", u.email, max(g.role) AS role, max(g.role) FILTER (WHERE g.team_id IS NULL) AS granted,
         coalesce(json_agg(json_build_object('teamId', g.team_id, 'name', g.name, 'role', g.role) ORDER BY g.name, g.team_id)
           FILTER (WHERE g.team_id IS NOT NULL), '[]') AS through,
         min(g.created_at) AS "createdAt", coalesce(max(g.role) FILTER (WHERE g.team_id IS NULL), 0) AS revision
    FROM (${GRANTS}) g JOIN app_user u ON u.id = g.user_id`;

const listing: Listing<User> = {
  alias: 'member',
  pageSize: 20,
  order: { email: { sql: 'member.email', type: 'text', getValue: (user) => user.email } },
  defaultOrder: 'email',
  search: ['member.email', `member.first_name || ' ' || member.last_name`],
};

/** A user who administers a workspace, and their rank. */
export interface WorkspaceAdministrator {
  id: string;
  email: string;
  name: string;
  role: number;
}

@Injectable()
export class WorkspaceMembersStore {
  private readonly select = new EntitySelect<User>();

  constructor(private readonly unit: UnitOfWork) {}

  async page(workspaceId: string, query: ListQuery): Promise<Page<WorkspaceMember>> {
    const granted = GRANTS.replaceAll('$1', ':workspaceId');
    const rows = this.unit.manager
      .createQueryBuilder(User, 'member')
      .where(`member.id IN (SELECT user_id FROM (${granted}) g)`, { workspaceId });
    const users = await paginate(rows, listing, query, {
      getMany: (page, options) => this.select.getMany(this.unit.manager, page, options),
    });
    const found = await this.unit.manager.query<WorkspaceMember[]>(`${MEMBERS} WHERE u.id = ANY($2) GROUP BY u.id`, [
      workspaceId,
      users.items.map(({ id }) => id),
    ]);
    const members = new Map(found.map((member) => [member.userId, member]));
    return { ...users, items: users.items.flatMap(({ id }) => members.get(id) ?? []) };
  }

  async find(workspaceId: string, userId: string): Promise<WorkspaceMember | null> {
    const [member] = await this.unit.manager.query<WorkspaceMember[]>(`${MEMBERS} WHERE u.id = $2 GROUP BY u.id`, [
      workspaceId,
      userId,
    ]);
    return member ?? null;
  }

  /** The number of users with a role. With `withTeam`, includes the users of a team that is going to get a role. */
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

  /** Removes all grants of a user in the workspaces of an organization. */
  async removeFromOrganization(organizationId: string, userId: string): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM workspace_member g USING workspace w
        WHERE w.id = g.workspace_id AND w.organization_id = $1 AND g.user_id = $2`,
      [organizationId, userId],
    );
  }

  /** Locks a membership until the end of the transaction. @returns whether it exists */
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

  /**
   * Whether a workspace is the default one of a member, which can be neither archived nor deleted.
   * @param personalOf the user whose default workspace it is; null for any other workspace
   */
  async isDefaultOfMember(organizationId: string, personalOf: string | null): Promise<boolean> {
    return personalOf !== null && (await this.isInOrganization(organizationId, personalOf));
  }

  /** The administrators of the workspace or its organization who can sign in. */
  findAdministrators({
    id,
    organizationId,
  }: {
    id: string;
    organizationId: string;
  }): Promise<WorkspaceAdministrator[]> {
    return this.unit.manager.query(
      `SELECT u.id, u.email, trim(u.first_name || ' ' || u.last_name) AS name, r.role
         FROM administrators_of($1, $2, $3) r
         JOIN app_user u ON u.id = r.user_id
        WHERE u.kind = 'person' AND u.deactivated_at IS NULL AND u.deleted_at IS NULL
        ORDER BY u.email, u.id`,
      [organizationId, id, roleRank('admin')],
    );
  }
}
