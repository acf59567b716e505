import { FlagField, MapOfField, RecordField, TextField, WordField } from '../core/schema/view-fields.js';
import type { Check, Health, SchemaState } from './health.service.js';

export class LivenessView {
  @WordField(['ok'], { rest: true })
  status!: 'ok';
}

/** The schema of the database as this process knows it. */
class SchemaStateView implements SchemaState {
  @TextField({ rest: true, description: 'The last migration of this version.' })
  known!: string;

  @TextField({ rest: true, nullable: true, description: 'The last one that was applied.' })
  applied!: string | null;

  @FlagField({ rest: true, description: 'Whether this version can serve the schema.' })
  compatible!: boolean;
}

export class HealthView {
  @WordField(['starting', 'ok', 'degraded', 'unavailable', 'draining'], { rest: true })
  status!: Health['status'] | 'starting';

  @MapOfField(
    {
      type: 'object',
      properties: { status: { type: 'string', enum: ['ok', 'degraded', 'unavailable'] }, reason: { type: 'string' } },
      required: ['status'],
      additionalProperties: false,
    },
    { rest: true, description: 'Each part. One that is `degraded` does not make the process unavailable.' },
  )
  checks!: Record<string, Check>;

  @RecordField(() => SchemaStateView, { rest: true, optional: true, description: 'Once it was read.' })
  schema?: SchemaState;
}

export class VersionInfoView {
  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true, description: 'Of the server.' })
  version!: string;

  @TextField({ rest: true, description: 'Of the API; also in the header API-Version.' })
  api!: string;

  @TextField({ rest: true, description: 'Of Node.js.' })
  node!: string;
}
