import { Injectable } from '@nestjs/common';
import { rank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { OrganizationRole } from './member.view.js';

const RANKS: Record<OrganizationRole, number> = { member: rank('member'), admin: rank('organization_admin'), owner: rank('owner') };

/** Who belongs to which organization. */
@Injectable()
export class MembersStore {
  constructor(private readonly unit: UnitOfWork) {}

  async put(organizationId: string, userId: string, role: OrganizationRole): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO organization_member (organization_id, user_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role`,
      [organizationId, userId, RANKS[role]],
    );
  }
}
