import { ApiProperty } from '@nestjs/swagger';
import { TextField, WordField } from '../core/schema/view-fields.js';
import type { Health } from './health.service.js';

export class LivenessView {
  @WordField(['ok'], { rest: true })
  status!: 'ok';
}

export class HealthView {
  @WordField(['starting', 'ok', 'unavailable', 'draining'], { rest: true })
  status!: Health['status'] | 'starting';

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Each part: `ok`, or what is wrong. A `degraded` part does not make the server unavailable.',
  })
  checks!: Record<string, string>;
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
