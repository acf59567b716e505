import { PaginatedView } from '../../core/listing/page.js';
import { MapField, MapsField, RecordField, TextField, WordField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import { ModelReferenceView } from '../components/component.view.js';
import { ENTRY_STATUSES, type EntryStatus } from '../entities/entry-status.js';
import type { Relationship } from './relationship.entity.js';

const SCHEMA_VERSION = 'relationships.meshery.io/v1alpha3';

export class RelationshipView extends RecordView {
  @TextField()
  schemaVersion!: string;

  @TextField()
  kind!: string;

  @TextField()
  type!: string;

  @TextField()
  sub_type!: string;

  @TextField()
  version!: string;

  @RecordField(() => ModelReferenceView)
  model!: ModelReferenceView;

  @MapsField()
  selectors!: object[];

  @WordField(ENTRY_STATUSES)
  status!: EntryStatus;

  @MapField({ nullable: true })
  metadata!: object;

  static fromEntity(relationship: Relationship, model: ModelReferenceView): RelationshipView {
    return RecordView.assignRecord(new RelationshipView(), relationship, {
      schemaVersion: SCHEMA_VERSION,
      kind: relationship.kind,
      type: relationship.type,
      sub_type: relationship.subType,
      version: relationship.version,
      model,
      selectors: relationship.selectors,
      status: relationship.status,
      metadata: relationship.metadata,
    });
  }
}

export const RelationshipPage = PaginatedView(RelationshipView, 'relationships', 'RelationshipPage');
