import {
  AnyField,
  IdField,
  MapsField,
  RecordsField,
  TextField,
  TimeField,
  WordField,
} from '../../core/schema/view-fields.js';
import { DRIFT_STATUSES, type DriftStatus } from './deployed-drift.entity.js';
import { DRIFT_RESOURCE_STATUSES, type DriftChange, type DriftExtra, type DriftResource } from './drift-comparison.js';

/** A field that somebody has added by hand. */
export class DriftExtraView implements DriftExtra {
  @TextField({ rest: true, description: 'Where it is: a JSON Pointer.' })
  pointer!: string;

  @AnyField({ rest: true, description: 'Its value on the cluster; of a secret `(hidden)`.' })
  live!: unknown;

  @TextField({ rest: true, description: 'The field manager that wrote it.' })
  manager!: string;

  @TextField({ rest: true, nullable: true, description: 'When it was written.' })
  at!: string | null;
}

/** A field that differs from the design. */
export class DriftChangeView implements DriftChange {
  @TextField({ rest: true, description: 'Where it is: a JSON Pointer.' })
  pointer!: string;

  @AnyField({ rest: true, description: 'Its value in the design; of a secret `(hidden)`.' })
  desired!: unknown;

  @AnyField({ rest: true, description: 'Its value on the cluster; of a secret `(hidden)`.' })
  live!: unknown;

  @TextField({
    rest: true,
    nullable: true,
    description: 'The field manager that wrote it; null when no manager owns it.',
  })
  manager!: string | null;

  @TextField({ rest: true, nullable: true, description: 'When it was written.' })
  at!: string | null;
}

/** A cluster that could not be compared with. */
export class DriftErrorView {
  @IdField({ rest: true })
  connection_id!: string;

  @TextField({ rest: true, description: 'The error code.' })
  code!: string;

  @TextField({ rest: true, description: 'What failed.' })
  detail!: string;
}

export class DriftResourceView implements DriftResource {
  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true, nullable: true })
  namespace!: string | null;

  @TextField({ rest: true })
  name!: string;

  @IdField({ rest: true })
  connection_id!: string;

  @WordField(DRIFT_RESOURCE_STATUSES, { rest: true, description: 'How the object is on the cluster.' })
  status!: DriftResource['status'];

  @MapsField({
    of: () => DriftChangeView,
    rest: true,
    description: 'What differs.',
  })
  changes!: DriftResource['changes'];

  @MapsField({
    of: () => DriftExtraView,
    rest: true,
    description: 'What people have added by hand and the design does not have. It is drift where `drift` is `strict`.',
  })
  extra!: DriftResource['extra'];

  @TextField({ rest: true, nullable: true, description: 'Why it cannot be compared.' })
  detail!: string | null;
}

export class DriftView {
  @WordField(DRIFT_STATUSES, { rest: true, description: 'Whether the objects on the cluster match what was deployed.' })
  status!: DriftStatus;

  @TimeField({ rest: true, nullable: true, description: 'When it was compared; null when it is deployed nowhere.' })
  checked_at!: Date | null;

  @RecordsField(() => DriftResourceView, { rest: true, description: 'What is deployed, object by object.' })
  resources!: DriftResourceView[];

  @MapsField({ of: () => DriftErrorView, rest: true, description: 'Clusters that could not be compared with.' })
  errors!: object[];
}
