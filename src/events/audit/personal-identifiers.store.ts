import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

/** By what events and audit entries name a person. */
export interface PersonalIdentifiers {
  /** The account, and those that were deleted when their user of the issuer was linked to it. */
  accounts: string[];
  /**
   * The addresses that they have and had, wherever they occur. Their subjects at the issuer, which may be any word or number, are
   * only in what is about the accounts.
   */
  addresses: string[];
}

/** What replaces an identifier in events. */
const ERASED = '[erased]';

@Injectable()
export class PersonalIdentifiersStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Runs as the system. */
  async find(userId: string): Promise<PersonalIdentifiers> {
    const linked = await this.unit.manager.query<{ id: string }[]>(
      `SELECT DISTINCT metadata->>'deleted_user_id' AS id FROM event
        WHERE acted_upon = $1 AND category = 'user' AND action = 'linked' AND metadata ? 'deleted_user_id'`,
      [userId],
    );
    const accounts = [userId, ...linked.map(({ id }) => id)];
    const named = await this.unit.manager.query<{ email: string }[]>(
      `SELECT DISTINCT email FROM (
         SELECT email FROM app_user WHERE id = ANY ($1)
         UNION ALL
         SELECT metadata->>'email' FROM event WHERE acted_upon = ANY ($1) AND category = 'user'
       ) AS named WHERE email <> $2`,
      [accounts, ERASED],
    );
    return { accounts, addresses: named.map(({ email }) => email) };
  }
}
