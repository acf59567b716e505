import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../../core/listing/page.js';
import { RecordView } from '../../core/schema/record.view.js';
import {
  IdField,
  IntField,
  MapField,
  MapsField,
  NumberField,
  TextField,
  TextsField,
  TimeField,
  WordField,
} from '../../core/schema/view-fields.js';
import { LOAD_MODELS, type LoadModel, type Method, METHODS, type Protocol, PROTOCOLS } from '../load/load-plan.js';
import type { Schedule } from '../schedules/schedule.js';
import type { Budget } from './budget.js';
import { BudgetView } from './budget.view.js';
import type { PerformanceProfile } from './profile.entity.js';
import { showFields } from './request-content.js';

/** When the runs of a profile are made. */
export class ScheduleView implements Schedule {
  @TextField({ rest: true, description: 'Five fields: minute, hour, day of the month, month, day of the week.' })
  cron!: string;

  @TextField({ rest: true, description: 'An IANA time zone.' })
  timezone!: string;
}

/** A stage of a profile. */
class StageView {
  @NumberField({ rest: true, description: 'Requests per second at its end.' })
  qps!: number;

  @TextField({ rest: true, description: 'Such as 30s.' })
  duration!: string;
}

@ObjectType('PerfProfile', { description: 'How load is driven at an endpoint.' })
export class PerformanceProfileView extends RecordView {
  @TextField()
  name!: string;

  @IdField({ description: 'The user who owns it.' })
  user_id!: string;

  @IdField({ rest: true })
  workspace_id!: string;

  @IdField({ rest: true })
  organization_id!: string;

  @TextField({ nullable: true, description: 'The service mesh that the endpoints are in, if any.' })
  service_mesh!: string;

  @TextsField({ nullable: true, description: 'Load generators in order of preference.' })
  load_generators!: string[];

  @TextsField({
    nullable: true,
    description: 'The addresses that runs can be made against; the first unless a run names another.',
  })
  endpoints!: string[];

  @IntField({ nullable: true, description: 'Connections at a time; 0 for as many as the rate needs.' })
  concurrent_request!: number;

  @NumberField({ nullable: true, description: 'Requests a second; 0 for as many as the connections make.' })
  qps!: number;

  @MapsField({
    of: () => StageView,
    rest: true,
    description: 'How the rate changes: the `qps` at the end of each stage, and its `duration`.',
  })
  stages!: { qps: number; duration: string }[];

  @TextField({ rest: true, description: 'The time for a response, such as 10s.' })
  timeout!: string;

  @IdField({ rest: true, nullable: true, description: 'The result that others are compared with.' })
  baseline_id!: string | null;

  @TextField({ nullable: true, description: 'How long a run lasts, such as 30s or 1m30s.' })
  duration!: string;

  @TextField({ nullable: true, description: 'JSON of the names of the headers; the values are not shown.' })
  request_headers!: string;

  @TextField({ nullable: true, description: 'JSON of the names of the cookies; the values are not shown.' })
  request_cookies!: string;

  @TextField({ nullable: true, optional: true, description: 'The body of each request; left out of lists over REST.' })
  request_body?: string;

  @TextField({ nullable: true, description: 'The media type of the body.' })
  content_type!: string;

  @MapField({ nullable: true })
  metadata!: Record<string, unknown>;

  @WordField(PROTOCOLS, { rest: true, description: 'What is spoken; HTTP/2 and gRPC need k6 or fortio.' })
  protocol!: Protocol;

  @WordField(METHODS, { rest: true, description: 'The method of each request.' })
  method!: Method;

  @WordField(LOAD_MODELS, {
    rest: true,
    description:
      'open: requests are due at fixed times, and measured from then. closed: after the response to the last.',
  })
  load_model!: LoadModel;

  @MapField({
    of: () => BudgetView,
    rest: true,
    nullable: true,
    description: 'Bounds that the results of a run pass or fail.',
  })
  budget!: Budget | null;

  @MapField({ of: () => ScheduleView, rest: true, nullable: true, description: 'When runs are made.' })
  schedule!: Schedule | null;

  @TimeField({ rest: true, nullable: true, description: 'When the schedule comes next.' })
  next_run_at!: Date | null;

  @IdField({
    rest: true,
    nullable: true,
    description: 'The connection to the Prometheus that server metrics are read from.',
  })
  metrics_connection_id!: string | null;

  @TextsField({ rest: true, description: 'What is asked of Prometheus: PromQL.' })
  metrics_queries!: string[];

  @TimeField({ nullable: true, description: 'When its last run ended.' })
  last_run!: Date | null;

  @IntField({ nullable: true, description: 'The number of results.' })
  total_results!: number;

  static fromProfile(this: void, { profile, body }: ProfileWithBody): PerformanceProfileView {
    return RecordView.assignRecord(new PerformanceProfileView(), profile, {
      name: profile.name,
      user_id: profile.userId,
      workspace_id: profile.workspaceId,
      organization_id: profile.organizationId,
      service_mesh: profile.serviceMesh,
      load_generators: profile.loadGenerators,
      endpoints: profile.endpoints,
      concurrent_request: profile.concurrentRequest,
      qps: profile.qps,
      stages: profile.stages.map(({ rate, seconds }) => ({ qps: rate, duration: `${seconds}s` })),
      timeout: profile.timeout,
      baseline_id: profile.baselineId,
      duration: profile.duration,
      request_headers: showFields(profile.headerNames),
      request_cookies: showFields(profile.cookieNames),
      ...(body === undefined ? {} : { request_body: body }),
      content_type: profile.contentType,
      metadata: profile.metadata,
      protocol: profile.protocol,
      method: profile.method,
      load_model: profile.loadModel,
      budget: profile.budget,
      schedule: profile.schedule,
      next_run_at: profile.nextRunAt,
      metrics_connection_id: profile.metricsConnectionId,
      metrics_queries: profile.metricsQueries,
      last_run: profile.lastRun,
      total_results: profile.totalResults,
    });
  }
}

/** A profile with the body of its requests, which is stored encrypted and not loaded in lists. */
export interface ProfileWithBody {
  profile: PerformanceProfile;
  body?: string;
}

export const PerformanceProfilePage = PaginatedView(PerformanceProfileView, 'profiles', 'PerfPageProfiles');
