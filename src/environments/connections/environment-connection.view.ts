import { IdField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import type { EnvironmentConnection } from './environment-connection.entity.js';

export class EnvironmentConnectionView extends RecordView {
  @IdField({ rest: true })
  environment_id!: string;

  @IdField({ rest: true })
  connection_id!: string;

  static fromEntity(this: void, mapping: EnvironmentConnection): EnvironmentConnectionView {
    return RecordView.assignRecord(new EnvironmentConnectionView(), mapping, {
      environment_id: mapping.environmentId,
      connection_id: mapping.connectionId,
    });
  }
}
