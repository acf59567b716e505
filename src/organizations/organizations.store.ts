import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Actor } from '../core/access/actor.js';
import { named } from '../core/database/statements.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { RecordStore } from '../core/records/record.store.js';
import { Organization } from './organization.entity.js';

const listing: Listing<Organization> = {
  alias: 'organization',
  pageSize: 20,
  order: recordOrderColumns('organization'),
  defaultOrder: 'created_at desc',
  search: ['organization.name'],
};

const OF_MEMBER = named(`
  SELECT o.id, o.name, m.role FROM organization_member m JOIN organization o ON o.id = m.organization_id
   WHERE m.user_id = $1 AND o.deleted_at IS NULL ORDER BY o.name, o.id`);

@Injectable()
export class OrganizationsStore extends RecordStore<Organization> {
  constructor(unit: UnitOfWork) {
    // FOR NO KEY UPDATE allows records that reference the organization to be written while it is locked.
    super(unit, Organization, 'organization', 'for_no_key_update');
  }

  page(actor: Actor, query: ListQuery): Promise<Page<Organization>> {
    return this.paginate(this.visibleTo(actor), listing, query);
  }

  /** Waits for transactions that are creating records of an organization, and blocks others until the end of the transaction. */
  async lockAgainstNewRecords(id: string): Promise<void> {
    await this.unit.manager.query('SELECT FROM organization WHERE id = $1 FOR UPDATE', [id]);
  }

  /** The ids and names of the organizations that the user is a member of. */
  async listByMember(userId: string): Promise<{ id: string; name: string; role: number }[]> {
    return this.unit.manager.query(OF_MEMBER, [userId]);
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<Organization> {
    const rows = this.createQueryBuilder();
    if (actor.isSystem) return rows;
    return rows.andWhere(`organization.id IN (SELECT granted_resources(:actorId, 'organization'))`, {
      actorId: actor.userId,
    });
  }
}
