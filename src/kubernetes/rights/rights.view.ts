import {
  FlagField,
  IdField,
  RecordField,
  RecordsField,
  TextField,
  TextsField,
  TimeField,
  WordField,
} from '../../core/schema/view-fields.js';
import { PURPOSES, type Purpose } from './required-rights.js';
import type { ReviewedRight } from './rights-review.js';

/** What a credential may do with one kind of object. */
export class RightView implements ReviewedRight {
  @TextField({ rest: true, description: 'The API group; empty for the core.' })
  api_group!: string;

  @TextField({ rest: true, description: 'The kind, as it is in paths.' })
  resource!: string;

  @TextsField({ rest: true, description: 'The verbs that are needed.' })
  verbs!: string[];

  @TextsField({ rest: true, description: 'Those of them that the credential may not do.' })
  missing_verbs!: string[];

  @TextField({ rest: true, nullable: true, description: 'What does not work for it; null where nothing is missing.' })
  consequence!: string | null;
}

/** The rights that one purpose needs. */
export class PurposeRightsView {
  @WordField(PURPOSES, { rest: true, description: 'The purposes of the credential.' })
  for!: Purpose;

  @FlagField({ rest: true, description: 'Whether it has all the rights that this needs.' })
  allowed!: boolean;

  @RecordsField(() => RightView, { rest: true, description: 'The rights, one entry for each kind.' })
  rights!: RightView[];
}

/** Who a credential is for the cluster. */
export class ClusterUserView {
  @TextField({ rest: true, description: 'The name of the user.' })
  username!: string;

  @TextsField({ rest: true, description: 'The groups of the user.' })
  groups!: string[];
}

/** What the credential of a connection may do on its cluster. */
export class ConnectionRightsView {
  @IdField({ rest: true })
  connection_id!: string;

  @RecordField(() => ClusterUserView, {
    rest: true,
    nullable: true,
    description: 'Who the credential is; null where the cluster does not say.',
  })
  user!: ClusterUserView | null;

  @TextField({ rest: true, nullable: true, description: 'The only namespace that is asked about; null for all.' })
  namespace!: string | null;

  @TimeField({ rest: true, description: 'When the cluster was asked.' })
  checked_at!: Date;

  @RecordsField(() => PurposeRightsView, { rest: true, description: 'The rights by what they are needed for.' })
  purposes!: PurposeRightsView[];
}

/** A right that a credential lacks. */
export class MissingRightView {
  @WordField(PURPOSES, { rest: true, description: 'What it is needed for.' })
  for!: Purpose;

  @TextField({ rest: true, description: 'The API group; empty for the core.' })
  api_group!: string;

  @TextField({ rest: true, description: 'The kind, as it is in paths.' })
  resource!: string;

  @TextsField({ rest: true, description: 'The verbs that the credential may not do.' })
  missing_verbs!: string[];

  @TextField({ rest: true, description: 'What does not work for it.' })
  consequence!: string;
}
