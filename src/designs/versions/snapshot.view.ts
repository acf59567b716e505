import { PaginatedView } from '../../core/listing/page.js';
import { IdField, IntField, TextField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import type { Snapshot } from './snapshot.entity.js';

export class SnapshotView extends RecordView {
  @IdField({ rest: true })
  design_id!: string;

  @IntField({ rest: true, description: 'The number of the version that it names.' })
  number!: number;

  @TextField({ rest: true })
  name!: string;

  @IdField({ rest: true, description: 'The user who created it.' })
  user_id!: string;

  static fromEntity(this: void, snapshot: Snapshot): SnapshotView {
    return RecordView.assignRecord(new SnapshotView(), snapshot, {
      design_id: snapshot.designId,
      number: snapshot.number,
      name: snapshot.name,
      user_id: snapshot.userId,
    });
  }
}

export const SnapshotPage = PaginatedView(SnapshotView, 'snapshots', 'DesignSnapshotPage');
