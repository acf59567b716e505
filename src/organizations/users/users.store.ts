import { Injectable } from '@nestjs/common';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { booleanFilter, wordFilter, type Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { normalizeEmail } from '../../core/schema/one-line-text.js';
import { USER_KINDS, User } from './user.entity.js';

const listing: Listing<User> = {
  alias: 'app_user',
  pageSize: 20,
  order: {
    email: { sql: 'app_user.email', type: 'text', getValue: (user) => user.email },
    created_at: { sql: 'app_user.created_at', type: 'timestamptz', getValue: (user) => user.createdAt },
    updated_at: { sql: 'app_user.updated_at', type: 'timestamptz', getValue: (user) => user.updatedAt },
  },
  defaultOrder: 'created_at desc',
  search: ['app_user.email', `app_user.first_name || ' ' || app_user.last_name`],
  filter: {
    kind: wordFilter('kind', 'app_user.kind', USER_KINDS),
    installation_admin: booleanFilter('installation_admin', (rows, yes) =>
      rows.andWhere(`app_user.installation_admin = ${yes}`),
    ),
    unconfirmed: booleanFilter('unconfirmed', (rows, yes) =>
      rows.andWhere(`app_user.unconfirmed_by IS ${yes ? 'NOT NULL' : 'NULL'}`),
    ),
    deactivated: booleanFilter('deactivated', (rows, yes) =>
      rows.andWhere(`app_user.deactivated_at IS ${yes ? 'NOT NULL' : 'NULL'}`),
    ),
  },
};

@Injectable()
export class UsersStore extends Store<User> {
  constructor(unit: UnitOfWork) {
    super(unit, User, 'app_user');
  }

  page(query: ListQuery): Promise<Page<User>> {
    return this.paginate(this.createQueryBuilder(), listing, query);
  }

  /** The person with this address. */
  findByEmail(email: string): Promise<User | null> {
    return this.repository.findOneBy({ email: normalizeEmail(email), kind: 'person' });
  }

  find(id: string): Promise<User | null> {
    return this.getOne(this.createQueryBuilder().where('app_user.id = :id', { id }));
  }

  /** Locks an account until the end of the transaction. */
  lock(id: string): Promise<User | null> {
    return this.getOne(this.createQueryBuilder().where('app_user.id = :id', { id }).setLock('pessimistic_write'));
  }

  /** The account with this subject of an external issuer. */
  findBySubject(issuer: string, subject: string): Promise<User | null> {
    return this.repository.findOneBy({ issuer, subject });
  }

  findServiceAccounts(organizationId: string): Promise<User[]> {
    return this.repository.findBy({ organizationId, kind: 'service' });
  }

  /** Serializes the creation of accounts for this name: an address, or a subject of an issuer. */
  async lockName(name: string): Promise<void> {
    await this.unit.manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('account ' || $1, 0))`, [name]);
  }

  /** Locks the active installation administrators, so that two of them cannot be removed concurrently. @returns their ids */
  async lockAdministrators(): Promise<string[]> {
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT id FROM app_user WHERE installation_admin AND deactivated_at IS NULL AND deleted_at IS NULL
        ORDER BY id FOR UPDATE`,
    );
    return rows.map((row) => row.id);
  }

  async anyExists(): Promise<boolean> {
    return this.repository.exists({ withDeleted: true });
  }
}
