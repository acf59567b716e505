import { IntField, NumberField } from '../../core/schema/view-fields.js';
import type { RunProgress } from './run.entity.js';

/** How far a run has come. */
export class RunProgressView implements RunProgress {
  @NumberField({ rest: true, description: 'Seconds that have passed.' })
  seconds!: number;

  @NumberField({ rest: true, description: 'Seconds that the run takes.' })
  of!: number;

  @IntField({ rest: true })
  requests!: number;

  @IntField({ rest: true, description: 'Requests without a response, or with a status of 400 and above.' })
  errors!: number;

  @NumberField({ rest: true, description: 'Responses of the last second.' })
  rps!: number;

  @NumberField({ rest: true, description: 'The median latency of the last second, in milliseconds.' })
  p50_ms!: number;

  @NumberField({ rest: true, description: 'The 99th percentile of the latency of the last second, in milliseconds.' })
  p99_ms!: number;
}
