import { Injectable } from '@nestjs/common';
import type { Scope } from '../../core/access/actor.js';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import type { UserKind } from '../../organizations/users/user.entity.js';
import { PersonalToken } from './personal-token.entity.js';

const listing: Listing<PersonalToken> = {
  alias: 'personal_token',
  pageSize: 20,
  order: recordOrderColumns('personal_token'),
  defaultOrder: 'created_at desc',
  search: ['personal_token.name'],
};

/** The user that a token acts for, and its scopes. */
export interface TokenBearer {
  token_id: string;
  scopes: Scope[];
  expires_at: Date | null;
  user_id: string;
  email: string;
  installation_admin: boolean;
  default_organization_id: string | null;
  kind: UserKind;
}

@Injectable()
export class PersonalTokensStore extends Store<PersonalToken> {
  constructor(unit: UnitOfWork) {
    super(unit, PersonalToken, 'personal_token');
  }

  page(userId: string, query: ListQuery): Promise<Page<PersonalToken>> {
    return this.paginate(
      this.createQueryBuilder().where('personal_token.user_id = :userId', { userId }),
      listing,
      query,
    );
  }

  find(userId: string, id: string): Promise<PersonalToken | null> {
    return this.repository.findOneBy({ userId, id });
  }

  /** Locks a token until the end of the transaction. */
  lock(userId: string, id: string): Promise<PersonalToken | null> {
    return this.createQueryBuilder()
      .where('personal_token.user_id = :userId AND personal_token.id = :id', { userId, id })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** The bearer of a valid token, if their user is active. */
  async findBearer(hash: Buffer): Promise<TokenBearer | null> {
    const [row] = await this.unit.manager.query<TokenBearer[]>(
      `SELECT t.id AS token_id, t.scopes, t.expires_at,
              u.id AS user_id, u.email, u.installation_admin, u.default_organization_id, u.kind
         FROM personal_token t JOIN app_user u ON u.id = t.user_id
        WHERE t.hash = $1 AND t.deleted_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
          AND u.deactivated_at IS NULL AND u.deleted_at IS NULL`,
      [hash],
    );
    return row ?? null;
  }

  async revokeAll(userId: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE personal_token SET deleted_at = now(), updated_at = now(), revision = revision + 1
        WHERE user_id = $1 AND deleted_at IS NULL`,
      [userId],
    );
  }

  /** Records the use of a token, at most once per minute over all replicas. */
  async touch(id: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE personal_token SET last_used_at = now()
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '50 seconds')`,
      [id],
    );
  }
}
