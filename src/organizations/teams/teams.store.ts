import { Injectable } from '@nestjs/common';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { Team } from './team.entity.js';

const listing: Listing<Team> = {
  alias: 'team',
  pageSize: 20,
  order: recordOrderColumns('team'),
  defaultOrder: 'created_at desc',
  search: ['team.name'],
  searchFunction: 'search_team',
};

/** The teams of organizations, and their members. */
@Injectable()
export class TeamsStore extends Store<Team> {
  constructor(unit: UnitOfWork) {
    super(unit, Team, 'team');
  }

  page(organizationId: string, query: ListQuery): Promise<Page<Team>> {
    return this.paginate(
      this.createQueryBuilder().where('team.organization_id = :organizationId', { organizationId }),
      listing,
      query,
    );
  }

  find(organizationId: string, id: string): Promise<Team | null> {
    return this.repository.findOneBy({ organizationId, id });
  }

  findById(id: string): Promise<Team | null> {
    return this.repository.findOneBy({ id });
  }

  /** Adds a user to a team, regardless of their groups. @returns whether they were not in it before */
  async addMember(teamId: string, userId: string): Promise<boolean> {
    const [row] = await this.unit.manager.query<{ added: boolean }[]>(
      `INSERT INTO team_member AS m (team_id, user_id) VALUES ($1, $2)
       ON CONFLICT (team_id, user_id) DO UPDATE SET source = 'manual' RETURNING xmax = 0 AS added`,
      [teamId, userId],
    );
    return row?.added ?? false;
  }

  /** Removes a user from a team. @returns whether they were in it */
  async removeMember(teamId: string, userId: string): Promise<boolean> {
    const [, removed] = await this.unit.manager.query<[unknown, number]>(
      `DELETE FROM team_member WHERE team_id = $1 AND user_id = $2`,
      [teamId, userId],
    );
    return removed > 0;
  }

  /** Removes a user from all teams of an organization. */
  async removeMemberFromOrganization(organizationId: string, userId: string): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM team_member m USING team t WHERE t.id = m.team_id AND t.organization_id = $1 AND m.user_id = $2`,
      [organizationId, userId],
    );
  }

  /** Removes all members of a team. */
  async removeMembers(teamId: string): Promise<void> {
    await this.unit.manager.query(`DELETE FROM team_member WHERE team_id = $1`, [teamId]);
  }

  /** The teams that a user has to join and leave so that their memberships match their groups, in the organizations of the user. */
  findGroupChanges(
    userId: string,
    groups: string[],
  ): Promise<{ id: string; organization_id: string; joins: boolean }[]> {
    return this.unit.manager.query(
      `SELECT t.id, t.organization_id, m.user_id IS NULL AS joins
         FROM team t
         JOIN organization_member o ON o.organization_id = t.organization_id AND o.user_id = $1
         LEFT JOIN team_member m ON m.team_id = t.id AND m.user_id = $1
        WHERE t.deleted_at IS NULL
          AND CASE WHEN lower(t.name) IN (SELECT lower(g) FROM unnest($2::text[]) g)
                   THEN m.user_id IS NULL ELSE m.source = 'groups' END
        ORDER BY t.id`,
      [userId, groups],
    );
  }

  /** Adds a user to a team that has the name of one of their groups. @returns whether they were not in it before */
  async addMemberByGroup(teamId: string, userId: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `INSERT INTO team_member (team_id, user_id, source) VALUES ($1, $2, 'groups')
       ON CONFLICT (team_id, user_id) DO NOTHING RETURNING team_id`,
      [teamId, userId],
    );
    return rows.length > 0;
  }

  /** Removes a user from a team that a group added them to. @returns whether they were in it for that reason */
  async removeMemberByGroup(teamId: string, userId: string): Promise<boolean> {
    const [, removed] = await this.unit.manager.query<[unknown, number]>(
      `DELETE FROM team_member WHERE team_id = $1 AND user_id = $2 AND source = 'groups'`,
      [teamId, userId],
    );
    return removed > 0;
  }
}
