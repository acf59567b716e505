import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { Store } from '../core/database/store.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { Organization } from './organization.entity.js';

const listing: Listing<Organization> = {
  alias: 'organization',
  pageSize: 20,
  order: recordOrderColumns('organization'),
  defaultOrder: 'created_at desc',
  search: ['organization.name'],
};

@Injectable()
export class OrganizationsStore extends Store<Organization> {
  constructor(unit: UnitOfWork) {
    super(unit, Organization, 'organization');
  }

  page(actor: Actor, query: ListQuery): Promise<Page<Organization>> {
    return this.paginate(this.visibleTo(actor), listing, query);
  }

  find(actor: Actor, id: string): Promise<Organization | null> {
    return this.visibleTo(actor).andWhere('organization.id = :id', { id }).getOne();
  }

  /** The same, held until the end of the unit of work; records of it can be written meanwhile. */
  lock(actor: Actor, id: string): Promise<Organization | null> {
    return this.visibleTo(actor).andWhere('organization.id = :id', { id }).setLock('for_no_key_update').getOne();
  }

  /**
   * What keeps an organization from being deleted: its workspaces, but for personal ones without a design. Who is making
   * one just now is waited for.
   */
  async findBlockingWorkspaces(id: string): Promise<{ id: string; name: string }[]> {
    await this.unit.manager.query('SELECT FROM organization WHERE id = $1 FOR UPDATE', [id]);
    return this.unit.manager.query(
      `SELECT w.id, w.name FROM workspace w
        WHERE w.organization_id = $1 AND w.deleted_at IS NULL
          AND (w.personal_of IS NULL OR EXISTS (SELECT FROM design d WHERE d.workspace_id = w.id AND d.deleted_at IS NULL))
        ORDER BY w.name, w.id`,
      [id],
    );
  }

  /** The ids and names of the organizations that the user is a member of. */
  async listByMember(userId: string): Promise<{ id: string; name: string; role: number }[]> {
    return this.unit.manager.query(
      `SELECT o.id, o.name, r.role FROM access_role r JOIN organization o ON o.id = r.resource_id
        WHERE r.user_id = $1 AND r.resource_type = 'organization' ORDER BY o.name, o.id`,
      [userId],
    );
  }

  private visibleTo(actor: Actor) {
    const rows = this.createQueryBuilder();
    if (actor.isSystem) return rows;
    return rows.andWhere(`organization.id IN (SELECT granted_resources(:actorId, 'organization'))`, {
      actorId: actor.userId,
    });
  }
}
