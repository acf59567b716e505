import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { storedTotalOf } from '../../core/authorization/stored-total.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { RecordStore } from '../../core/records/record.store.js';
import { Credential } from './credential.entity.js';

/** Leaves room for a number in a name of 255 characters. */
const MAX_BASE_LENGTH = 245;

const listing: Listing<Credential> = {
  alias: 'credential',
  pageSize: 20,
  order: recordOrderColumns('credential'),
  defaultOrder: 'created_at desc',
  search: ['credential.name'],
  searchFunction: 'search_credential',
};

/** Credentials, visible only to the admins of their organization. */
@Injectable()
export class CredentialsStore extends RecordStore<Credential> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Credential, 'credential');
  }

  page(actor: Actor, organizationId: string, query: ListQuery): Promise<Page<Credential>> {
    const rows = this.visibleTo(actor).andWhere('credential.organization_id = :organizationId', { organizationId });
    return this.paginate(rows, listing, query, storedTotalOf({ seesAll: true }, 'credential'));
  }

  /** The encrypted secret and its revision; null when there is no such credential. */
  async findSealed(id: string): Promise<{ secret: Buffer; revision: number } | null> {
    const row = await this.createQueryBuilder()
      .addSelect('credential.secret')
      .where('credential.id = :id', { id })
      .getOne();
    return row && { secret: row.secret, revision: row.revision };
  }

  /**
   * This name, or this name with the next number when a credential of the organization has it. Concurrent callers wait until the
   * end of each other's transaction.
   */
  async findFreeName(organizationId: string, name: string): Promise<string> {
    await this.unit.manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `credential names of ${organizationId}`,
    ]);
    const base = name.slice(0, MAX_BASE_LENGTH);
    const rows = await this.unit.manager.query<{ name: string }[]>(
      `SELECT lower(name) AS name FROM credential
        WHERE organization_id = $1 AND deleted_at IS NULL AND (lower(name) = lower($2) OR starts_with(lower(name), lower($3) || ' ('))`,
      [organizationId, name, base],
    );
    const taken = new Set(rows.map((row) => row.name));
    if (!taken.has(name.toLowerCase())) return name;
    let number = 2;
    while (taken.has(`${base} (${number})`.toLowerCase())) number++;
    return `${base} (${number})`;
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<Credential> {
    return this.access.onlyAdministered(this.createQueryBuilder(), 'credential', actor);
  }
}
