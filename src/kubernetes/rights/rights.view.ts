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

/** The permissions of a credential on one kind of object. */
export class RightView implements ReviewedRight {
  @TextField({ rest: true, description: 'The API group; empty for the core.' })
  api_group!: string;

  @TextField({ rest: true, description: 'The plural name of the kind, as in paths.' })
  resource!: string;

  @TextsField({ rest: true, description: 'The verbs that are needed.' })
  verbs!: string[];

  @TextsField({ rest: true, description: 'Those of them that the credential lacks.' })
  missing_verbs!: string[];

  @TextField({
    rest: true,
    nullable: true,
    description: 'What does not work without them; null where nothing is missing.',
  })
  consequence!: string | null;
}

/** The permissions for one purpose. */
export class PurposeRightsView {
  @WordField(PURPOSES, { rest: true, description: 'The purposes of the credential.' })
  for!: Purpose;

  @FlagField({ rest: true, description: 'Whether it has all the rights that this needs.' })
  allowed!: boolean;

  @RecordsField(() => RightView, { rest: true, description: 'The rights, one entry for each kind.' })
  rights!: RightView[];

  @RecordsField(() => RightView, {
    rest: true,
    description: 'Rights that only designs with such kinds need; `allowed` does not depend on them.',
  })
  optional_rights!: RightView[];
}

/** The user of a credential on its cluster. */
export class ClusterUserView {
  @TextField({ rest: true, description: 'The name of the user.' })
  username!: string;

  @TextsField({ rest: true, description: 'The groups of the user.' })
  groups!: string[];
}

/** The permissions of a connection's credential on its cluster. */
export class ConnectionRightsView {
  @IdField({ rest: true })
  connection_id!: string;

  @RecordField(() => ClusterUserView, {
    rest: true,
    nullable: true,
    description: 'The user of the credential; null where the cluster does not report it.',
  })
  user!: ClusterUserView | null;

  @TextField({ rest: true, nullable: true, description: 'The namespace that was checked; null for all.' })
  namespace!: string | null;

  @TimeField({ rest: true, description: 'When the rights were checked.' })
  checked_at!: Date;

  @RecordsField(() => PurposeRightsView, { rest: true, description: 'The rights by purpose.' })
  purposes!: PurposeRightsView[];
}

/** A permission that a credential lacks. */
export class MissingRightView {
  @WordField(PURPOSES, { rest: true, description: 'The purpose.' })
  for!: Purpose;

  @TextField({ rest: true, description: 'The API group; empty for the core.' })
  api_group!: string;

  @TextField({ rest: true, description: 'The plural name of the kind, as in paths.' })
  resource!: string;

  @TextsField({ rest: true, description: 'The verbs that the credential lacks.' })
  missing_verbs!: string[];

  @TextField({ rest: true, description: 'What does not work without them.' })
  consequence!: string;
}
