import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

/** By what events and audit entries name a person. */
export interface PersonalIdentifiers {
  /** The account, and those that were deleted when their user of the issuer was linked to it. */
  accounts: string[];
  /** The addresses that they have and had, and their subjects at the issuer. */
  texts: string[];
}

/** What replaces an identifier in events. */
const ERASED = '[erased]';
/** Shorter subjects, such as `1001`, occur by chance; what names them is about the account. */
const MIN_LENGTH = 6;

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
    const named = await this.unit.manager.query<{ text: string }[]>(
      `SELECT DISTINCT text FROM (
         SELECT unnest(ARRAY[email, subject]) AS text FROM app_user WHERE id = ANY ($1)
         UNION ALL
         SELECT unnest(ARRAY[metadata->>'email', metadata->>'subject']) FROM event
          WHERE acted_upon = ANY ($1) AND category = 'user'
       ) AS named WHERE length(text) >= $2 AND text <> $3`,
      [accounts, MIN_LENGTH, ERASED],
    );
    return { accounts, texts: named.map(({ text }) => text) };
  }
}
