import { IdField, MapsField, RecordsField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { DRIFT_STATUSES, type DriftStatus } from './deployed-drift.entity.js';
import { DRIFT_RESOURCE_STATUSES, type DriftResource } from './drift-comparison.js';

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
    rest: true,
    description: 'What differs: pointer, desired, live, and the manager who wrote it at a time.',
  })
  changes!: DriftResource['changes'];

  @MapsField({
    rest: true,
    description:
      'What people have added by hand and the design does not have: pointer, live, and the manager who wrote it at a time. It is drift where `drift` is `strict`.',
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

  @MapsField({ rest: true, description: 'Clusters that could not be compared with: connection_id, code and detail.' })
  errors!: object[];
}
