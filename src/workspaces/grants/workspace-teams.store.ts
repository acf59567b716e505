import { Injectable } from '@nestjs/common';
import { roleRank } from '../../core/access/roles.js';
import { EntitySelect } from '../../core/database/entity-select.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { paginate } from '../../core/listing/paginate.js';
import { Team } from '../../organizations/teams/team.entity.js';
import type { WorkspaceRole } from './workspace-grant.js';

/** A team with a role in the workspace. */
export interface GrantedTeam {
  /** The ids of the workspace and the team. */
  id: [string, string];
  teamId: string;
  name: string;
  role: number;
  /** The number of users in the team. */
  members: number;
  createdAt: Date;
  /** The granted role, which is the only field that can change, serves as the revision. */
  revision: number;
}

const TEAM = `
  SELECT ARRAY[held.workspace_id, t.id] AS id, t.id AS "teamId", t.name, held.role, held.role AS revision, held.created_at AS "createdAt",
         (SELECT count(*)::int FROM team_member m WHERE m.team_id = t.id) AS members
    FROM workspace_team held JOIN team t ON t.id = held.team_id AND t.deleted_at IS NULL
   WHERE held.workspace_id = $1`;

const listing: Listing<Team> = {
  alias: 'team',
  pageSize: 20,
  order: recordOrderColumns('team'),
  defaultOrder: 'name',
  search: ['team.name'],
};

@Injectable()
export class WorkspaceTeamsStore {
  private readonly select = new EntitySelect<Team>();

  constructor(private readonly unit: UnitOfWork) {}

  async page(workspaceId: string, query: ListQuery): Promise<Page<GrantedTeam>> {
    const rows = this.unit.manager
      .createQueryBuilder(Team, 'team')
      .where('team.id IN (SELECT team_id FROM workspace_team WHERE workspace_id = :workspaceId)', { workspaceId });
    const teams = await paginate(rows, listing, query, {
      getMany: (page, options) => this.select.getMany(this.unit.manager, page, options),
    });
    const found = await this.unit.manager.query<GrantedTeam[]>(`${TEAM} AND t.id = ANY($2)`, [
      workspaceId,
      teams.items.map(({ id }) => id),
    ]);
    const granted = new Map(found.map((team) => [team.teamId, team]));
    return { ...teams, items: teams.items.flatMap(({ id }) => granted.get(id) ?? []) };
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

  /** Removes all roles of a team. */
  async removeAll(teamId: string): Promise<void> {
    await this.unit.manager.query(`DELETE FROM workspace_team WHERE team_id = $1`, [teamId]);
  }

  /** Locks a team, so that its members are not changed while they are counted. @returns whether the organization has the team */
  async lockTeam(organizationId: string, teamId: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT 1 FROM team WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL FOR UPDATE`,
      [teamId, organizationId],
    );
    return rows.length > 0;
  }
}
