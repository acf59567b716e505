import { Injectable } from '@nestjs/common';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { type DeliveryStatus, Invitation } from './invitation.entity.js';

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

  /** The invitations of an organization that can be accepted. */
  page(organizationId: string, query: ListQuery): Promise<Page<Invitation>> {
    const rows = this.createQueryBuilder().where(`invitation.organization_id = :organizationId AND ${IS_PENDING}`, {
      organizationId,
    });
    return this.paginate(rows, listing, query);
  }

  /** Locks an open invitation until the end of the transaction. */
  lockPending(organizationId: string, id: string): Promise<Invitation | null> {
    const key = { organizationId, id };
    return this.createQueryBuilder()
      .where(`invitation.organization_id = :organizationId AND invitation.id = :id AND ${IS_PENDING}`, key)
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Finds an invitation in any state. */
  findByHash(tokenHash: Buffer): Promise<Invitation | null> {
    return this.createQueryBuilder()
      .withDeleted()
      .where(`invitation.token_hash = :tokenHash AND ${ORGANIZATION_EXISTS}`, { tokenHash })
      .getOne();
  }

  async findOrganizationName(id: string): Promise<string> {
    const [found] = await this.unit.manager.query<{ name: string }[]>('SELECT name FROM organization WHERE id = $1', [
      id,
    ]);
    return found?.name ?? '';
  }

  /** As `findByHash`, locked until the end of the transaction. */
  lockByHash(tokenHash: Buffer): Promise<Invitation | null> {
    return this.createQueryBuilder()
      .withDeleted()
      .where(`invitation.token_hash = :tokenHash AND ${ORGANIZATION_EXISTS}`, { tokenHash })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Locks the invitations for an address that can be accepted, in any organization. */
  lockByEmail(email: string): Promise<Invitation[]> {
    return this.createQueryBuilder()
      .where(`invitation.email = :email AND ${IS_PENDING} AND ${ORGANIZATION_EXISTS}`, { email })
      .orderBy('invitation.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** Whether the account of this address was created with the URL of an invitation that was not sent by email. */
  async wasAcceptedWithoutEmail(email: string): Promise<boolean> {
    return this.createQueryBuilder()
      .where('invitation.email = :email AND invitation.accepted_at IS NOT NULL AND invitation.proof_hash IS NULL', {
        email,
      })
      .getExists();
  }

  /** Stores what became of the email. The revision stays: nobody has changed the invitation. */
  async recordDelivery(id: string, status: DeliveryStatus, reason: string | null): Promise<void> {
    await this.unit.manager.query(
      'UPDATE invitation SET delivery_status = $2, delivery_reason = $3, delivery_at = now() WHERE id = $1',
      [id, status, reason],
    );
  }

  /** Withdraws the open invitations that a user sent: in one organization, or in all. */
  async withdrawByInviter(invitedBy: string, organizationId: string | null): Promise<void> {
    await this.unit.manager.query(
      `UPDATE invitation SET deleted_at = now(), updated_at = now(), revision = revision + 1
        WHERE invited_by = $1 AND organization_id = coalesce($2, organization_id) AND accepted_at IS NULL AND deleted_at IS NULL`,
      [invitedBy, organizationId],
    );
  }

  /** Withdraws the open invitation for an address, for example when a new one replaces it. */
  async withdrawByEmail(organizationId: string, email: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE invitation SET deleted_at = now(), updated_at = now(), revision = revision + 1
        WHERE organization_id = $1 AND email = $2 AND accepted_at IS NULL AND deleted_at IS NULL`,
      [organizationId, email],
    );
  }
}
