import { IdField, RecordsField, TextField, WordField } from '../../core/schema/view-fields.js';
import { RECORD_TYPES, type RecordType, type SeenRecord } from '../record-types.js';

/** A record that was found. */
export class SearchResultView implements SeenRecord {
  @WordField(RECORD_TYPES, { rest: true })
  type!: RecordType;

  @IdField({ rest: true })
  id!: string;

  @TextField({ rest: true })
  name!: string;

  @IdField({ rest: true, nullable: true, description: 'The workspace that it is in, or is; null for others.' })
  workspace_id!: string | null;

  @TextField({ rest: true, description: 'The address of its screen in the console.' })
  path!: string;
}

export class SearchView {
  @RecordsField(() => SearchResultView, {
    rest: true,
    description: 'Names that are the text, then those that begin with it, then those that contain it.',
  })
  results!: SearchResultView[];
}
