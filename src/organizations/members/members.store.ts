import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { type ListQuery, pageOf } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { type Member, type OrganizationRole, RANKS } from './member.view.js';

const MEMBER = `SELECT u.id, u.email, u.first_name AS "firstName", u.last_name AS "lastName", m.role,
  u.deactivated_at AS "deactivatedAt", m.created_at AS "createdAt", u.updated_at AS "updatedAt"
  FROM organization_member m JOIN app_user u ON u.id = m.user_id AND u.deleted_at IS NULL`;

/** Who belongs to which organization. */
@Injectable()
export class MembersStore {
  constructor(private readonly unit: UnitOfWork) {}

  async page(organizationId: string, query: ListQuery): Promise<Page<Member>> {
    const { page, size } = pageOf(query, 20);
    const pattern = `%${(query.search ?? '').replace(/[\\%_]/g, '\\$&')}%`;
    const matching = `${MEMBER} WHERE m.organization_id = $1 AND u.email || ' ' || u.first_name || ' ' || u.last_name ILIKE $2`;
    const items = await this.unit.manager.query<Member[]>(`${matching} ORDER BY u.email, u.id LIMIT $3 OFFSET $4`, [
      organizationId,
      pattern,
      size,
      page * size,
    ]);
    const [counted] = await this.unit.manager.query<{ count: string }[]>(`SELECT count(*) FROM (${matching}) AS m`, [
      organizationId,
      pattern,
    ]);
    return { page, size, items, total: Number(counted?.count ?? 0) };
  }

  async find(organizationId: string, userId: string): Promise<Member | null> {
    const [member] = await this.unit.manager.query<Member[]>(`${MEMBER} WHERE m.organization_id = $1 AND u.id = $2`, [
      organizationId,
      userId,
    ]);
    return member ?? null;
  }

  async put(organizationId: string, userId: string, role: OrganizationRole): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO organization_member (organization_id, user_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role`,
      [organizationId, userId, RANKS[role]],
    );
  }

  async remove(organizationId: string, userId: string): Promise<void> {
    await this.unit.manager.query(`DELETE FROM organization_member WHERE organization_id = $1 AND user_id = $2`, [
      organizationId,
      userId,
    ]);
  }

  /** The owners of the organization, held until the end of the unit of work so that two of them cannot both leave. */
  async lockOwners(organizationId: string): Promise<string[]> {
    const rows = await this.unit.manager.query<{ user_id: string }[]>(
      `SELECT user_id FROM organization_member WHERE organization_id = $1 AND role = $2 ORDER BY user_id FOR UPDATE`,
      [organizationId, RANKS.owner],
    );
    return rows.map((row) => row.user_id);
  }
}
