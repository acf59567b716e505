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
    email: { sql: 'invitation.email', type: 'text', getValue: (invitation) => invitation.email },
    created_at: { sql: 'invitation.created_at', type: 'timestamptz', getValue: (invitation) => invitation.createdAt },
  },
  defaultOrder: 'created_at desc',
  search: ['invitation.email'],
};

const IS_PENDING = 'invitation.accepted_at IS NULL AND invitation.expires_at > now()';
const ORGANIZATION_EXISTS =
  'EXISTS (SELECT FROM organization o WHERE o.id = invitation.organization_id AND o.deleted_at IS NULL)';

@Injectable()
export class InvitationsStore extends Store<Invitation> {
  constructor(unit: UnitOfWork) {
    super(unit, Invitation, 'invitation');
  }

  /** Those of an organization that can be accepted. */
  page(organizationId: string, query: ListQuery): Promise<Page<Invitation>> {
    const rows = this.createQueryBuilder().where(`invitation.organization_id = :organizationId AND ${IS_PENDING}`, {
      organizationId,
    });
    return this.paginate(rows, listing, query);
  }

  /** Locked until the end of the unit of work. */
  lockPending(organizationId: string, id: string): Promise<Invitation | null> {
    const key = { organizationId, id };
    return this.createQueryBuilder()
      .where(`invitation.organization_id = :organizationId AND invitation.id = :id AND ${IS_PENDING}`, key)
      .setLock('pessimistic_write')
      .getOne();
  }

  /** In any state. */
  findByHash(tokenHash: Buffer): Promise<Invitation | null> {
    return this.createQueryBuilder()
      .withDeleted()
      .where(`invitation.token_hash = :tokenHash AND ${ORGANIZATION_EXISTS}`, { tokenHash })
      .getOne();
  }

  /** The same, locked until the end of the unit of work. */
  lockByHash(tokenHash: Buffer): Promise<Invitation | null> {
    return this.createQueryBuilder()
      .withDeleted()
      .where(`invitation.token_hash = :tokenHash AND ${ORGANIZATION_EXISTS}`, { tokenHash })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Those for an address that can be accepted, in any organization; locked. */
  lockByEmail(email: string): Promise<Invitation[]> {
    return this.createQueryBuilder()
      .where(`invitation.email = :email AND ${IS_PENDING} AND ${ORGANIZATION_EXISTS}`, { email })
      .orderBy('invitation.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** Whether an account of this address was made by the URL of an invitation that was sent with no letter. */
  async wasAcceptedWithoutLetter(email: string): Promise<boolean> {
    return this.createQueryBuilder()
      .where('invitation.email = :email AND invitation.accepted_at IS NOT NULL AND invitation.proof_hash IS NULL', {
        email,
      })
      .getExists();
  }

  /** The open ones that a user sent: in one organization, or all. */
  async withdrawByInviter(invitedBy: string, organizationId: string | null): Promise<void> {
    await this.unit.manager.query(
      `UPDATE invitation SET deleted_at = now(), updated_at = now(), revision = revision + 1
        WHERE invited_by = $1 AND organization_id = coalesce($2, organization_id) AND accepted_at IS NULL AND deleted_at IS NULL`,
      [invitedBy, organizationId],
    );
  }

  /** A new invitation replaces the previous one. */
  async withdrawByEmail(organizationId: string, email: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE invitation SET deleted_at = now(), updated_at = now(), revision = revision + 1
        WHERE organization_id = $1 AND email = $2 AND accepted_at IS NULL AND deleted_at IS NULL`,
      [organizationId, email],
    );
  }
}
