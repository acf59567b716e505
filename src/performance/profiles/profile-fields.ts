import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { definedFields, nullToEmpty } from '../../core/rest/read-only-fields.js';
import { parsePrometheusDuration } from '../../core/durations.js';
import type { RateStage } from '../load/load-plan.js';
import { findScheduleFaults, nextOccurrence, type Schedule } from '../schedules/schedule.js';
import type { LoadLimits } from '../load/load-limits.js';
import type { PerformanceProfile } from './profile.entity.js';
import type { NewPerformanceProfile, PerformanceProfileChange } from './profile.inputs.js';
import { stageSeconds } from './profile-input-fields.js';
import {
  EMPTY_CONTENT,
  type FieldName,
  HIDDEN,
  hideValues,
  parseFields,
  type RequestContent,
} from './request-content.js';

/** The columns and the request content that an input sets. */
export interface ProfileSettings {
  fields: Partial<PerformanceProfile>;
  content: RequestContent;
}

/** Parses the settings of a new profile. @throws InvalidRequest with all invalid fields */
export function toNewSettings(input: NewPerformanceProfile, limits: LoadLimits): ProfileSettings {
  const { defaults } = limits;
  const hasRate = (input.qps ?? defaults.qps) > 0 || (input.stages ?? []).length > 0;
  const loadModel = hasRate ? 'open' : 'closed';
  const initial: Partial<PerformanceProfile> = {
    ...defaults,
    protocol: 'http/1.1',
    method: (input.request_body ?? '') === '' ? 'GET' : 'POST',
    loadModel,
    concurrentRequest: limits.connectionsOf(input.load_model ?? loadModel),
    baselineId: null,
    ...{ serviceMesh: '', loadGenerators: [], contentType: '', metadata: {}, metricsQueries: [] },
    ...{ budget: null, schedule: null, nextRunAt: null, metricsConnectionId: null },
  };
  const { fields, content } = toChangedSettings(input, initial, EMPTY_CONTENT, limits);
  return { fields: { ...initial, ...fields }, content };
}

/** Parses the changed settings of a profile. @throws InvalidRequest with all invalid fields */
export function toChangedSettings(
  input: PerformanceProfileChange,
  current: Partial<PerformanceProfile>,
  stored: RequestContent,
  limits: LoadLimits,
): ProfileSettings {
  const schedule = findNewSchedule(input, current);
  const fields: Partial<PerformanceProfile> = definedFields({
    name: input.name,
    endpoints: input.endpoints,
    serviceMesh: nullToEmpty(input.service_mesh, ''),
    loadGenerators: nullToEmpty(input.load_generators, []),
    concurrentRequest: input.concurrent_request,
    qps: input.qps,
    ...toStages(input),
    timeout: input.timeout,
    baselineId: input.baseline_id,
    contentType: nullToEmpty(input.content_type, ''),
    metadata: nullToEmpty(input.metadata, {}),
    protocol: input.protocol,
    method: input.method,
    loadModel: input.load_model,
    budget: input.budget,
    schedule,
    metricsConnectionId: input.metrics_connection_id,
    metricsQueries: nullToEmpty(input.metrics_queries, []),
  });
  assertSound({ ...current, ...fields }, input, limits);
  if (schedule !== undefined) fields.nextRunAt = schedule && nextOccurrence(schedule, new Date());
  const content = toContent(input, stored, false);
  return {
    fields,
    content: leadsElsewhere(current, fields, stored, content) ? toContent(input, stored, true) : content,
  };
}

/** Reports whether requests of the changed profile go to a place to which those of the current one do not. */
function leadsElsewhere(
  current: Partial<PerformanceProfile>,
  fields: Partial<PerformanceProfile>,
  stored: RequestContent,
  content: RequestContent,
): boolean {
  const known = new Set(targetsOf(current, stored));
  return known.size > 0 && targetsOf({ ...current, ...fields }, content).some((target) => !known.has(target));
}

/** Where requests go: method, origin, path, and the host that a shared origin chooses the site by. */
function targetsOf({ endpoints = [], method }: Partial<PerformanceProfile>, { headers }: RequestContent): string[] {
  const host = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '';
  return endpoints.map((endpoint) => {
    const { origin, pathname } = new URL(endpoint);
    return JSON.stringify([method, origin, pathname, host]);
  });
}

function assertSound(profile: Partial<PerformanceProfile>, input: PerformanceProfileChange, limits: LoadLimits): void {
  const { qps = 0, stages = [], concurrentRequest = 1, duration = '', timeout = '', loadModel } = profile;
  const faults: Fault[] = limits.findFaults({ qps, stages, concurrentRequest, duration, timeout });
  if (loadModel === 'open' && qps === 0 && stages.every(({ rate }) => rate === 0))
    faults.push({ pointer: '/load_model', detail: 'open needs a rate', remedy: 'Send qps, or the load model closed.' });
  if (loadModel === 'closed' && stages.length > 0)
    faults.push({
      pointer: '/stages',
      detail: 'need the load model open',
      remedy: 'Send the load model open, or no stages.',
    });
  if (loadModel === 'closed' && concurrentRequest === 0)
    faults.push({ pointer: '/concurrent_request', detail: 'must be at least 1 in the load model closed' });
  if (profile.protocol === 'grpc' && profile.endpoints?.some((endpoint) => protocolOf(endpoint) !== 'http:'))
    faults.push({ pointer: '/endpoints', detail: 'must be http addresses: gRPC is tested without TLS' });
  for (const endpoint of input.endpoints ?? [])
    if (!['http:', 'https:'].includes(protocolOf(endpoint)))
      faults.push({ pointer: '/endpoints', detail: 'must be http or https addresses' });
  if (
    stages.length > 0 &&
    input.duration !== undefined &&
    parsePrometheusDuration(input.duration) !== sumOfStages(stages)
  )
    faults.push({ pointer: '/duration', detail: 'must be left out, or be the sum of the stages' });
  const schedule = toSchedule(input.schedule);
  for (const { field, detail } of schedule ? findScheduleFaults(schedule, new Date()) : [])
    faults.push({ pointer: `/schedule/${field}`, detail });
  if (faults.length > 0)
    throw new InvalidRequest(faults.map(({ pointer, detail }) => `${pointer?.slice(1)} ${detail}`).join('; '), {
      errors: faults,
    });
}

/** The stages of an input and the duration that follows from them, or the duration that it has itself. */
function toStages({ stages, duration }: PerformanceProfileChange): Partial<PerformanceProfile> {
  if (stages === undefined) return { duration };
  const parsed = (stages ?? []).map((stage) => ({ rate: stage.qps, seconds: stageSeconds(stage.duration) ?? 0 }));
  if (parsed.length === 0) return { stages: [], duration };
  return { stages: parsed, duration: `${sumOfStages(parsed)}s` };
}

const sumOfStages = (stages: readonly RateStage[]): number => stages.reduce((sum, { seconds }) => sum + seconds, 0);

const protocolOf = (address: string): string => (URL.canParse(address) ? new URL(address).protocol : '');

/** Returns the schedule of an input; undefined when it is unchanged. */
function findNewSchedule(
  input: PerformanceProfileChange,
  { schedule: current = null }: Partial<PerformanceProfile>,
): Schedule | null | undefined {
  const schedule = toSchedule(input.schedule);
  return schedule?.cron === current?.cron && schedule?.timezone === current?.timezone ? undefined : schedule;
}

const toSchedule = (given: PerformanceProfileChange['schedule']): Schedule | null | undefined =>
  given && { cron: given.cron.trim(), timezone: given.timezone ?? 'UTC' };

function toContent(input: PerformanceProfileChange, stored: RequestContent, isElsewhere: boolean): RequestContent {
  const { request_headers: headers, request_cookies: cookies, request_body: body } = input;
  return {
    headers: toFields('request_headers', headers, stored.headers, isElsewhere),
    cookies: toFields('request_cookies', cookies, stored.cookies, isElsewhere),
    body: nullToEmpty(body, '') ?? stored.body,
  };
}

/** Requires secrets to be sent again with a new target; otherwise a user could send stored secrets to a place of their choice. */
function toFields(
  field: FieldName,
  given: unknown,
  stored: Record<string, string>,
  isElsewhere: boolean,
): Record<string, string> {
  if (!isElsewhere) return given === undefined ? stored : parseFields(field, given, stored);
  const fields = given === undefined ? hideValues(stored) : parseFields(field, given);
  if (!Object.values(fields).includes(HIDDEN)) return fields;
  throw InvalidRequest.secretRequired(
    `/${field}`,
    'must be sent with its values, since requests go to another server, path or host, or have another method',
    `Send ${field} with the values, or null to leave them out.`,
  );
}
