import { graphqlEnum } from '../../core/schema/view-fields.js';
import { ENTRY_STATUSES } from './entry-status.js';

export const EntryStatusEnum = graphqlEnum(
  'EntryStatus',
  ENTRY_STATUSES,
  'Whether an entity is listed, validated against and generated from.',
);
