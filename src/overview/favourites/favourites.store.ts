import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { RecordReference } from '../record-types.js';

/** References to the favourites of users, also to records that the user no longer sees. */
@Injectable()
export class FavouritesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The oldest first. */
  async list(actor: Actor, most: number): Promise<RecordReference[]> {
    return this.unit.manager.query(
      'SELECT type, record_id AS id FROM favourite WHERE user_id = $1 ORDER BY created_at, type, record_id LIMIT $2',
      [actor.userId, most],
    );
  }

  /** Lets the calls of one user count one after another, until the transaction ends. */
  async lock(actor: Actor): Promise<void> {
    await this.unit.manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `favourites ${actor.userId}`,
    ]);
  }

  /** How many favourites the user has beside this one. */
  async countOthers(actor: Actor, { type, id }: RecordReference): Promise<number> {
    const [{ others = 0 } = {}] = await this.unit.manager.query<{ others: number }[]>(
      'SELECT count(*)::int AS others FROM favourite WHERE user_id = $1 AND (type, record_id) <> ($2, $3::uuid)',
      [actor.userId, type, id],
    );
    return others;
  }

  async add(actor: Actor, { type, id }: RecordReference): Promise<void> {
    await this.unit.manager.query(
      'INSERT INTO favourite (user_id, type, record_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [actor.userId, type, id],
    );
  }

  /** @returns whether it was a favourite */
  async remove(actor: Actor, { type, id }: RecordReference): Promise<boolean> {
    const [, removed] = await this.unit.manager.query<[unknown, number]>(
      'DELETE FROM favourite WHERE user_id = $1 AND type = $2 AND record_id = $3',
      [actor.userId, type, id],
    );
    return removed > 0;
  }
}
