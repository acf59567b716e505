import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Memberships } from '../../core/authorization/memberships.js';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { nameColumn, wordFilter, type Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { USER_KINDS, User } from '../users/user.entity.js';
import { type Member, ORGANIZATION_ROLES, type OrganizationRole, ROLE_RANKS } from './member.view.js';
import { OrganizationMember } from './organization-member.entity.js';

const listing: Listing<User> = {
  alias: 'member',
  pageSize: 20,
  order: {
    email: { sql: 'member.email', type: 'text', getValue: (user) => user.email },
    first_name: nameColumn('member.first_name', (user) => user.firstName),
    last_name: nameColumn('member.last_name', (user) => user.lastName),
    created_at: {
      sql: 'membership.created_at',
      type: 'timestamptz',
      getValue: (user) => (user as Member).membership.createdAt,
    },
  },
  defaultOrder: 'created_at desc',
  search: ['member.email', `member.first_name || ' ' || member.last_name`],
  searchFunction: 'search_member',
  filter: {
    kind: wordFilter('kind', 'member.kind', USER_KINDS),
    role: (rows, value) => {
      const role = ORGANIZATION_ROLES.find((each) => each === value);
      if (!role) throw InvalidRequest.forField('filter', `role must be one of ${ORGANIZATION_ROLES.join(', ')}`);
      rows.andWhere('membership.role = :filter_role', { filter_role: ROLE_RANKS[role] });
    },
  },
};

/** The members of organizations. */
@Injectable()
export class MembersStore extends Store<User> {
  constructor(
    unit: UnitOfWork,
    private readonly memberships: Memberships,
  ) {
    super(unit, User, 'member');
  }

  page(organizationId: string, query: ListQuery): Promise<Page<Member>> {
    return this.paginate(this.selectMembers(organizationId), listing, query) as Promise<Page<Member>>;
  }

  pageOfTeam(organizationId: string, teamId: string, query: ListQuery): Promise<Page<Member>> {
    const rows = this.selectMembers(organizationId).andWhere(
      'member.id IN (SELECT user_id FROM team_member WHERE team_id = :teamId)',
      { teamId },
    );
    return this.paginate(rows, listing, query) as Promise<Page<Member>>;
  }

  pageOfServiceAccounts(organizationId: string, query: ListQuery): Promise<Page<Member>> {
    const rows = this.selectMembers(organizationId).andWhere(`member.kind = 'service'`);
    return this.paginate(rows, listing, query) as Promise<Page<Member>>;
  }

  find(organizationId: string, userId: string): Promise<Member | null> {
    return this.selectMembers(organizationId)
      .andWhere('member.id = :userId', { userId })
      .getOne() as Promise<Member | null>;
  }

  async setRole(organizationId: string, userId: string, role: OrganizationRole): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO organization_member (organization_id, user_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role`,
      [organizationId, userId, ROLE_RANKS[role]],
    );
    this.unit.afterCommit(() => this.memberships.invalidate(userId));
  }

  async remove(organizationId: string, userId: string): Promise<void> {
    await this.unit.manager.query(`DELETE FROM organization_member WHERE organization_id = $1 AND user_id = $2`, [
      organizationId,
      userId,
    ]);
    this.unit.afterCommit(() => this.memberships.invalidate(userId));
  }

  /** Whether the user belongs to an organization, and the actor administers all of the user's organizations. */
  async administersAll(actorId: string | null, userId: string): Promise<boolean> {
    const [row] = await this.unit.runAsSystem('the organizations of an account', () =>
      this.unit.manager.query<{ all: boolean | null }[]>(
        `SELECT bool_and(mine.user_id IS NOT NULL) AS all
           FROM organization_member m
           JOIN organization o ON o.id = m.organization_id AND o.deleted_at IS NULL
           LEFT JOIN organization_member mine
             ON mine.organization_id = m.organization_id AND mine.user_id = $1 AND mine.role >= $3
          WHERE m.user_id = $2`,
        [actorId, userId, ROLE_RANKS.admin],
      ),
    );
    return row?.all ?? false;
  }

  /** Locks the active owners until the end of the transaction, so that none of them is deactivated concurrently. */
  async lockActiveOwners(organizationId: string): Promise<string[]> {
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT u.id FROM organization_member m JOIN app_user u ON u.id = m.user_id
        WHERE m.organization_id = $1 AND m.role = $2 AND u.deactivated_at IS NULL AND u.deleted_at IS NULL
        ORDER BY u.id FOR UPDATE`,
      [organizationId, ROLE_RANKS.owner],
    );
    return rows.map((row) => row.id);
  }

  private selectMembers(organizationId: string): SelectQueryBuilder<User> {
    return this.createQueryBuilder().innerJoinAndMapOne(
      'member.membership',
      OrganizationMember,
      'membership',
      'membership.user_id = member.id AND membership.organization_id = :organizationId',
      { organizationId },
    );
  }
}
