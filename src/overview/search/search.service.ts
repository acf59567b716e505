import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { RECORD_TYPES, type SeenRecord } from '../record-types.js';
import { SeenRecordsStore } from '../seen-records.store.js';

/** The maximum number of results of one type. */
export const MAX_OF_TYPE = 10;

/** Finds records by their names. */
@Injectable()
export class SearchService {
  constructor(private readonly records: SeenRecordsStore) {}

  /** The records that the actor sees: the best matches first, of equal ones in the order of their types. @throws InvalidRequest without a name */
  async search(actor: Actor, text: string): Promise<SeenRecord[]> {
    const name = text.trim();
    if (name === '') throw InvalidRequest.forField('q', 'is required', 'Send a part of a name, such as q=shop.');
    const matches = await this.records.match(name, MAX_OF_TYPE);
    const rank = ({ match, type }: (typeof matches)[number]): number =>
      match * RECORD_TYPES.length + RECORD_TYPES.indexOf(type);
    matches.sort((a, b) => rank(a) - rank(b));
    return this.records.find(actor, matches);
  }
}
