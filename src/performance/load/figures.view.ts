import {
  CountsField,
  IntField,
  NumberField,
  TextField,
  WordField,
  MapField,
  MapsField,
} from '../../core/schema/view-fields.js';
import {
  LOAD_MODELS,
  type LoadModel,
  type LoadPlan,
  type Method,
  METHODS,
  type Protocol,
  PROTOCOLS,
  type RateStage,
} from './load-plan.js';
import type { LatencyPart, LatencyParts, Summary, TimelinePoint } from './runner-results.js';

const REST = { rest: true } as const;

class RateStageView implements RateStage {
  @NumberField({ ...REST, description: 'Requests per second at its end.' })
  rate!: number;

  @NumberField(REST)
  seconds!: number;
}

/** The settings of a run at the time of its request. */
export class LoadPlanView implements LoadPlan {
  @TextField(REST)
  endpoint!: string;

  @WordField(PROTOCOLS, REST)
  protocol!: Protocol;

  @WordField(METHODS, REST)
  method!: Method;

  @WordField(LOAD_MODELS, REST)
  model!: LoadModel;

  @NumberField({ ...REST, description: 'Requests per second; with stages, at the start.' })
  rate!: number;

  @MapsField({ ...REST, of: () => RateStageView, optional: true, description: 'How the rate changes.' })
  stages?: RateStage[];

  @IntField({ ...REST, description: 'The most connections at a time.' })
  connections!: number;

  @IntField({ ...REST, optional: true, description: 'The connections at the start; all of them without it.' })
  initialConnections?: number;

  @NumberField(REST)
  seconds!: number;

  @NumberField({ ...REST, description: 'Seconds for a response.' })
  timeout!: number;
}

/** The figures of a run; latencies are in milliseconds. */
export class SummaryView implements Summary {
  @IntField(REST)
  requests!: number;

  @IntField({ ...REST, description: 'Requests without a response, or with a status of 400 and above.' })
  errors!: number;

  @NumberField({ ...REST, description: 'Their share of the requests, from 0 to 1.' })
  error_rate!: number;

  @IntField({ ...REST, description: 'Responses with a status of 2xx.' })
  successful!: number;

  @NumberField({ ...REST, description: 'Responses per second.' })
  rps!: number;

  @NumberField({ ...REST, nullable: true, description: 'Requests per second that were due.' })
  due_rps!: number | null;

  @NumberField({ ...REST, nullable: true, description: 'Requests per second that were sent.' })
  sent_rps!: number | null;

  @NumberField(REST)
  bytes_per_second!: number;

  @NumberField(REST)
  mean_ms!: number;

  @NumberField(REST)
  min_ms!: number;

  @NumberField(REST)
  p50_ms!: number;

  @NumberField(REST)
  p75_ms!: number;

  @NumberField(REST)
  p90_ms!: number;

  @NumberField(REST)
  p95_ms!: number;

  @NumberField(REST)
  p99_ms!: number;

  @NumberField(REST)
  p999_ms!: number;

  @NumberField(REST)
  max_ms!: number;

  @NumberField({ ...REST, nullable: true, description: 'From sending a request, without the wait for a connection.' })
  service_p50_ms!: number | null;

  @NumberField({ ...REST, nullable: true, description: 'From sending a request, without the wait for a connection.' })
  service_p99_ms!: number | null;

  @IntField({ ...REST, nullable: true, description: 'Requests that were due while every connection was busy.' })
  waited!: number | null;

  @NumberField({ ...REST, nullable: true, description: 'Seconds in which requests waited and no response arrived.' })
  stalled_seconds!: number | null;

  @NumberField({ ...REST, nullable: true, description: 'How late the generator was with 99 % of the requests.' })
  generator_lag_ms!: number | null;
}

class LatencyPartView implements LatencyPart {
  @IntField(REST)
  count!: number;

  @NumberField(REST)
  mean_ms!: number;

  @NumberField(REST)
  p50_ms!: number;

  @NumberField(REST)
  p95_ms!: number;

  @NumberField(REST)
  p99_ms!: number;

  @NumberField(REST)
  max_ms!: number;
}

/** The parts of the latency. */
export class LatencyPartsView implements LatencyParts {
  @MapField({ ...REST, of: () => LatencyPartView, description: 'Opening connections.' })
  connect!: LatencyPart;

  @MapField({ ...REST, of: () => LatencyPartView, description: 'Waiting for a connection.' })
  wait!: LatencyPart;

  @MapField({ ...REST, of: () => LatencyPartView, description: 'From sending a request to the first byte.' })
  first_byte!: LatencyPart;

  @MapField({ ...REST, of: () => LatencyPartView, description: 'From sending a request to the end of its response.' })
  service!: LatencyPart;
}

/** A part of a run. */
export class TimelinePointView implements TimelinePoint {
  @NumberField({ ...REST, description: 'Seconds since the start of the run.' })
  at!: number;

  @NumberField({ ...REST, description: 'How long it took.' })
  seconds!: number;

  @NumberField(REST)
  rps!: number;

  @IntField(REST)
  errors!: number;

  @CountsField({ ...REST, description: 'Responses by status.' })
  statuses!: Record<string, number>;

  @NumberField(REST)
  p50_ms!: number;

  @NumberField(REST)
  p95_ms!: number;

  @NumberField(REST)
  p99_ms!: number;

  @NumberField(REST)
  max_ms!: number;
}
