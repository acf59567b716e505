import { Injectable } from '@nestjs/common';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { Invitation } from './invitation.entity.js';

const listing: Listing<Invitation> = {
  alias: 'invitation',
  pageSize: 20,
  order: {
    email: { sql: 'invitation.email', type: 'text', of: (invitation) => invitation.email },
    created_at: { sql: 'invitation.created_at', type: 'timestamptz', of: (invitation) => invitation.createdAt },
  },
  defaultOrder: 'created_at desc',
  search: ['invitation.email'],
};

const OPEN = 'invitation.accepted_at IS NULL AND invitation.expires_at > now()';
const STANDING = 'EXISTS (SELECT FROM organization o WHERE o.id = invitation.organization_id AND o.deleted_at IS NULL)';

@Injectable()
export class InvitationsStore extends Store<Invitation> {
  constructor(unit: UnitOfWork) {
    super(unit, Invitation, 'invitation');
  }

  /** Those of an organization that can be accepted. */
  page(organizationId: string, query: ListQuery): Promise<Page<Invitation>> {
    const rows = this.select().where(`invitation.organization_id = :organizationId AND ${OPEN}`, { organizationId });
    return this.paginate(rows, listing, query);
  }

  /** Held until the end of the unit of work. */
  lockOpen(organizationId: string, id: string): Promise<Invitation | null> {
    const key = { organizationId, id };
    return this.select()
      .where(`invitation.organization_id = :organizationId AND invitation.id = :id AND ${OPEN}`, key)
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Whatever became of it. */
  findByHash(tokenHash: Buffer): Promise<Invitation | null> {
    return this.select()
      .withDeleted()
      .where(`invitation.token_hash = :tokenHash AND ${STANDING}`, { tokenHash })
      .getOne();
  }

  /** The same, held until the end of the unit of work. */
  lockByHash(tokenHash: Buffer): Promise<Invitation | null> {
    return this.select()
      .withDeleted()
      .where(`invitation.token_hash = :tokenHash AND ${STANDING}`, { tokenHash })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Those for an address that can be accepted, whichever the organization; held. */
  lockOf(email: string): Promise<Invitation[]> {
    return this.select()
      .where(`invitation.email = :email AND ${OPEN} AND ${STANDING}`, { email })
      .orderBy('invitation.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** The open ones that a user sent: in one organization, or everywhere. */
  async withdrawOf(invitedBy: string, organizationId: string | null): Promise<void> {
    await this.unit.manager.query(
      `UPDATE invitation SET deleted_at = now(), updated_at = now(), revision = revision + 1
        WHERE invited_by = $1 AND organization_id = coalesce($2, organization_id) AND accepted_at IS NULL AND deleted_at IS NULL`,
      [invitedBy, organizationId],
    );
  }

  /** A new invitation takes the place of the one before. */
  async withdraw(organizationId: string, email: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE invitation SET deleted_at = now(), updated_at = now(), revision = revision + 1
        WHERE organization_id = $1 AND email = $2 AND accepted_at IS NULL AND deleted_at IS NULL`,
      [organizationId, email],
    );
  }
}
