import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

/** What replaces an identifier in events. */
const ERASED = '[erased]';
/** Shorter subjects, such as `1001`, occur by chance; events of the account name them in a member of their own. */
const MIN_LENGTH = 6;

/** The texts by which events and audit entries name a person. */
@Injectable()
export class PersonalIdentifiersStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The addresses that the account has and had, and its subjects at the issuer; none for an unknown account. Runs as the system. */
  async list(userId: string): Promise<string[]> {
    const rows = await this.unit.manager.query<{ text: string }[]>(
      `SELECT DISTINCT text FROM (
         SELECT unnest(ARRAY[email, subject]) AS text FROM app_user WHERE id = $1
         UNION ALL
         SELECT unnest(ARRAY[metadata->>'email', metadata->>'subject']) FROM event WHERE acted_upon = $1 AND category = 'user'
       ) AS named WHERE length(text) >= $2 AND text <> $3`,
      [userId, MIN_LENGTH, ERASED],
    );
    return rows.map(({ text }) => text);
  }
}
