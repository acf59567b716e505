import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../../core/errors/app-error.js';
import type { RecordReference, SeenRecord } from '../record-types.js';
import { SeenRecordsStore } from '../seen-records.store.js';

/** The maximum number of favourites of a user. */
const MAX_FAVOURITES = 200;

/** The favourites of users. */
@Injectable()
export class FavouritesService {
  constructor(
    private readonly records: SeenRecordsStore,
    private readonly unit: UnitOfWork,
  ) {}

  /** The favourites that the actor still sees, the oldest first. */
  async list(actor: Actor): Promise<SeenRecord[]> {
    const references = await this.unit.manager.query<RecordReference[]>(
      'SELECT type, record_id AS id FROM favourite WHERE user_id = $1 ORDER BY created_at, type, record_id LIMIT $2',
      [actor.userId, MAX_FAVOURITES],
    );
    return this.records.find(actor, references);
  }

  /** @throws NotFound when the actor does not see the record, Conflict QUOTA_EXCEEDED */
  async add(actor: Actor, { type, id }: RecordReference): Promise<void> {
    const [record] = await this.records.find(actor, [{ type, id }]);
    if (!record) throw new NotFound(type, id);
    await this.unit.run(async () => {
      // Calls of one user are counted one after another.
      await this.unit.manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `favourites ${actor.userId}`,
      ]);
      const [{ others = 0 } = {}] = await this.unit.manager.query<{ others: number }[]>(
        'SELECT count(*)::int AS others FROM favourite WHERE user_id = $1 AND (type, record_id) <> ($2, $3::uuid)',
        [actor.userId, type, id],
      );
      if (others >= MAX_FAVOURITES) throw tooManyFavourites();
      await this.unit.manager.query(
        'INSERT INTO favourite (user_id, type, record_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [actor.userId, type, id],
      );
    });
  }

  /** Removes a favourite, also of a record that the actor no longer sees. @throws NotFound when it is neither */
  async remove(actor: Actor, { type, id }: RecordReference): Promise<void> {
    const [, removed] = await this.unit.manager.query<[unknown, number]>(
      'DELETE FROM favourite WHERE user_id = $1 AND type = $2 AND record_id = $3',
      [actor.userId, type, id],
    );
    if (removed === 0 && (await this.records.find(actor, [{ type, id }])).length === 0) throw new NotFound(type, id);
  }
}

const tooManyFavourites = (): Conflict =>
  new Conflict('QUOTA_EXCEEDED', `you have ${MAX_FAVOURITES} favourites already`, {
    remedy: 'Remove some: DELETE /api/identity/users/favourites/{type}/{id}.',
  });
