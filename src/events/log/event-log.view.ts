import { IdField, IntField, TextField } from '../../core/schema/view-fields.js';

const REST = { rest: true } as const;

/** The result of a purge. */
export class EventPurgeView {
  @IdField(REST)
  organization_id!: string;

  @TextField({ ...REST, description: 'The number up to which events are gone.' })
  through!: string;

  @IntField({ ...REST, description: 'How many events were removed.' })
  events!: number;
}

/** The result of an erasure. */
export class EventErasureView {
  @IdField(REST)
  user_id!: string;

  @IntField({ ...REST, description: 'Events from which personal data was erased.' })
  events!: number;

  @IntField({ ...REST, description: 'Deliveries of webhooks from whose log it was erased.' })
  deliveries!: number;

  @IntField({ ...REST, description: 'Entries of the audit from which it was erased.' })
  audit_entries!: number;
}
