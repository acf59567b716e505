import { InputForms } from '../../core/schema/field-examples.js';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';
import { OrganizationListQuery } from '../../core/listing/list-query.js';
import { UpdateInput } from '../../core/rest/input.pipe.js';
import { UpdatesView } from '../../core/rest/read-only-fields.js';
import { IdInput, MetadataInput, NameInput, TextInput, WordInput } from '../../core/schema/input-fields.js';
import {
  LOAD_GENERATORS,
  LOAD_MODELS,
  type LoadModel,
  type Method,
  METHODS,
  type Protocol,
  PROTOCOLS,
} from '../load/load-plan.js';
import type { Budget } from './budget.js';
import {
  BudgetInput,
  EndpointsInput,
  MAX_URL,
  NumberInput,
  RateInput,
  RequestFieldsInput,
  ScheduleInput,
  StagesInput,
} from './profile-input-fields.js';
import { PerformanceProfileView } from './profile.view.js';
import { RUN_STATUSES, type RunStatus } from './run-status.js';

const MEDIA_TYPE = /^[\t\x20-\x7e]*$/;
const MAX_QUERIES = 5;
const MAX_QUERY = 1_000;
export const MAX_BODY = 65_536;
/** Generators that existing clients may name; another one is used instead. */
const KNOWN_GENERATORS = [...LOAD_GENERATORS, 'wrk2', 'nighthawk'];

/** The optional fields of a profile. */
class ProfileFields extends UpdateInput {
  @TextInput({ clearable: true, max: 100 })
  service_mesh?: string | null;

  @ApiPropertyOptional({
    enum: KNOWN_GENERATORS,
    isArray: true,
    nullable: true,
    description: 'In order of preference; the first that this server has is used.',
  })
  @IsOptional()
  @IsArray({ message: 'must be a list' })
  @ArrayMaxSize(KNOWN_GENERATORS.length, { message: `must have at most ${KNOWN_GENERATORS.length} names` })
  @IsIn(KNOWN_GENERATORS, { each: true, message: `must be some of ${KNOWN_GENERATORS.join(', ')}` })
  load_generators?: string[] | null;

  @NumberInput(
    0,
    'Connections at a time. 0, the default with a rate, opens as many as the rate needs, up to the limit of the server; without a rate the default is 10.',
  )
  concurrent_request?: number;

  @RateInput('Requests per second, such as 50 or 0.5; default: 0, which means as many as the connections can send.')
  qps?: number;

  @StagesInput()
  stages?: { qps: number; duration: string }[] | null;

  @TextInput({ optional: true, max: 20, description: 'The time for a response, such as `10s`, which is the default.' })
  timeout?: string;

  @IdInput({
    clearable: true,
    description: 'The result of this profile that others are compared with; default: the last good one before them.',
  })
  baseline_id?: string | null;

  @TextInput({
    optional: true,
    max: 20,
    description: 'Such as `30s` or `1m30s`; default: 30 seconds, or the limit of the server when that is lower.',
  })
  duration?: string;

  @RequestFieldsInput('Headers of each request: an object, or its JSON. Values are sealed and never shown.')
  request_headers?: unknown;

  @RequestFieldsInput('Cookies of each request: an object, its JSON, or `a=b; c=d`. Values are sealed and never shown.')
  request_cookies?: unknown;

  @TextInput({ clearable: true, max: MAX_BODY, description: 'The body of each request.' })
  request_body?: string | null;

  @TextInput({ clearable: true, max: 200, pattern: MEDIA_TYPE.source, description: 'The media type of the body.' })
  @Matches(MEDIA_TYPE, { message: 'must be a media type' })
  content_type?: string | null;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  @WordInput(PROTOCOLS, { optional: true })
  protocol?: Protocol;

  @WordInput(METHODS, { optional: true, description: 'Default: POST with a body, GET without one.' })
  method?: Method;

  @WordInput(LOAD_MODELS, {
    optional: true,
    description: 'Default: `open` with a rate, `closed` without one.',
  })
  load_model?: LoadModel;

  @BudgetInput()
  budget?: Budget | null;

  @ScheduleInput()
  schedule?: { cron: string; timezone?: string } | null;

  @IdInput({ clearable: true, description: 'A connection to Prometheus that the caller sees.' })
  metrics_connection_id?: string | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_QUERY },
    nullable: true,
    maxItems: MAX_QUERIES,
    description: 'PromQL queries whose values during a run are stored with its result.',
  })
  @IsOptional()
  @ArrayMaxSize(MAX_QUERIES, { message: `must have at most ${MAX_QUERIES} queries` })
  @IsString({ each: true, message: 'must be strings' })
  @Length(1, MAX_QUERY, { each: true, message: `must have 1 to ${MAX_QUERY} characters each` })
  @IsArray({ message: 'must be a list' })
  metrics_queries?: string[] | null;
}

@UpdatesView(() => PerformanceProfileView)
@InputForms({
  example: {
    name: 'checkout',
    endpoints: ['https://shop.example.com/checkout'],
    qps: 200,
    concurrent_request: 20,
    duration: '30s',
    budget: { p99_ms: 200, error_rate: 0.01 },
  },
})
export class NewPerformanceProfile extends ProfileFields {
  @NameInput()
  name!: string;

  @EndpointsInput(false)
  endpoints!: string[];

  @IdInput({ optional: true, description: "The caller's default workspace when it is left out." })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;
}

@UpdatesView(() => PerformanceProfileView)
@InputForms({ example: { duration: '1m', budget: { p99_ms: 200 } } })
export class PerformanceProfileChange extends ProfileFields {
  @NameInput({ optional: true })
  name?: string;

  @EndpointsInput(true)
  endpoints?: string[];
}

/** The query of a list of profiles or results. */
export class PerformanceQuery extends OrganizationListQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'Only of this workspace.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  workspace_id?: string;
}

/** The query of a list of runs. */
export class RunsQuery extends PerformanceQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'Only runs of this profile.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  profile_id?: string;

  @WordInput(RUN_STATUSES, { optional: true, description: 'Only runs of this status.' })
  status?: RunStatus;
}

/** The input of a run. */
@InputForms({ example: { name: 'before the release' } })
export class RunRequest {
  @NameInput({
    optional: true,
    description: 'The name of the run and its result; default: the name of the profile.',
  })
  name?: string;

  @TextInput({
    optional: true,
    max: MAX_URL,
    description: 'One of the endpoints of the profile; default: the first one.',
  })
  endpoint?: string;
}
