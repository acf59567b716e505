import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../../core/errors/app-error.js';
import type { RecordReference, SeenRecord } from '../record-types.js';
import { SeenRecordsStore } from '../seen-records.store.js';
import { FavouritesStore } from './favourites.store.js';

/** The maximum number of favourites of a user. */
const MAX_FAVOURITES = 200;

/** The favourites of users. */
@Injectable()
export class FavouritesService {
  constructor(
    private readonly favourites: FavouritesStore,
    private readonly records: SeenRecordsStore,
    private readonly unit: UnitOfWork,
  ) {}

  /** The favourites that the actor still sees, the oldest first. */
  async list(actor: Actor): Promise<SeenRecord[]> {
    return this.records.find(actor, await this.favourites.list(actor, MAX_FAVOURITES));
  }

  /** @throws NotFound when the actor does not see the record, Conflict QUOTA_EXCEEDED */
  async add(actor: Actor, record: RecordReference): Promise<void> {
    await this.assertSeen(actor, record);
    await this.unit.run(async () => {
      await this.favourites.lock(actor);
      if ((await this.favourites.countOthers(actor, record)) >= MAX_FAVOURITES) throw tooManyFavourites();
      await this.favourites.add(actor, record);
    });
  }

  /** Removes a favourite, also of a record that the actor no longer sees. @throws NotFound when it is neither */
  async remove(actor: Actor, record: RecordReference): Promise<void> {
    if (!(await this.favourites.remove(actor, record))) await this.assertSeen(actor, record);
  }

  private async assertSeen(actor: Actor, record: RecordReference): Promise<void> {
    if ((await this.records.find(actor, [record])).length === 0) throw new NotFound(record.type, record.id);
  }
}

const tooManyFavourites = (): Conflict =>
  new Conflict('QUOTA_EXCEEDED', `you have ${MAX_FAVOURITES} favourites already`, {
    remedy: 'Remove some: DELETE /api/identity/users/favourites/{type}/{id}.',
  });
