import { IdField, RecordsField, TextField, WordField } from '../../core/schema/view-fields.js';
import { RECORD_TYPES, type RecordType, type SeenRecord } from '../record-types.js';

export class FavouriteView {
  @WordField(RECORD_TYPES, { rest: true })
  type!: RecordType;

  @IdField({ rest: true })
  id!: string;

  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true, description: 'The address of its screen in the console.' })
  path!: string;

  static fromRecord(this: void, { type, id, name, path }: SeenRecord): FavouriteView {
    return Object.assign(new FavouriteView(), { type, id, name, path });
  }
}

export class FavouritesView {
  @RecordsField(() => FavouriteView, { rest: true, description: 'Those that the caller still sees, in their order.' })
  favourites!: FavouriteView[];
}
