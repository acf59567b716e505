import { dnsLabel } from '../values/name-rules.js';
import { cronFault } from './cron.js';
import { type ResourceField, type FieldRule } from './resource-field.js';
import { podSpec } from './pods.js';
import { claimSpec } from './storage.js';
import { countOrPercent, isEmptySelector, isZeroCount, labels, labelSelector, selects } from './values.js';

const NOT_NEGATIVE = ['replicas', 'minReadySeconds', 'revisionHistoryLimit'];

/** Checks a Pod template with `restartPolicy: Always`, and the selector that must match its labels. */
function runningPods(spec: ResourceField): void {
  const selector = spec.at('selector');
  const template = spec.at('template');
  for (const name of NOT_NEGATIVE) spec.at(name).within(0);
  labelSelector(selector);
  if (!selector.isObject) selector.error('Required value');
  else if (isEmptySelector(selector)) selector.invalid('empty selector is invalid');
  else if (!selects(selector, template.at('metadata', 'labels')))
    template.at('metadata', 'labels').invalid('`selector` does not match template `labels`');
  podTemplate(template);
  template.at('spec', 'restartPolicy').oneOf(['Always']);
  if (template.at('spec', 'activeDeadlineSeconds').value !== undefined)
    template.at('spec', 'activeDeadlineSeconds').forbidden('activeDeadlineSeconds is not supported here');
}

export function podTemplate(template: ResourceField): void {
  labels(template.at('metadata', 'labels'));
  podSpec(template.at('spec'));
}

export const deployment: FieldRule = (place) => {
  const spec = place.at('spec');
  runningPods(spec);
  const [strategy, rolling] = [spec.at('strategy', 'type'), spec.at('strategy', 'rollingUpdate')];
  strategy.oneOf(['Recreate', 'RollingUpdate']);
  if (strategy.text === 'Recreate' && rolling.isObject)
    rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
  else rollingUpdate(rolling);
  const deadline = spec.at('progressDeadlineSeconds');
  deadline.within(0);
  const ready = spec.at('minReadySeconds').number ?? 0;
  if ((deadline.number ?? 600) <= ready) deadline.invalid('must be greater than minReadySeconds');
};

function rollingUpdate(rolling: ResourceField): void {
  if (!rolling.isObject) return;
  countOrPercent(rolling.at('maxUnavailable'), 100);
  countOrPercent(rolling.at('maxSurge'));
  if (isZeroCount(rolling.at('maxUnavailable')) && isZeroCount(rolling.at('maxSurge')))
    rolling.at('maxUnavailable').invalid('may not be 0 when `maxSurge` is 0');
}

export const replicaSet: FieldRule = (place) => runningPods(place.at('spec'));

export const replicationController: FieldRule = (place) => {
  const spec = place.at('spec');
  for (const name of NOT_NEGATIVE) spec.at(name).within(0);
  if (!spec.at('template').isObject) spec.at('template').error('Required value');
  else podTemplate(spec.at('template'));
  labels(spec.at('selector'));
  const chosen = spec.at('template', 'metadata', 'labels');
  if (!spec.at('selector').entries.length && !chosen.entries.length) spec.at('selector').error('Required value');
  if (spec.at('selector').entries.some(([key, value]) => chosen.at(key).text !== value.text))
    chosen.invalid('`selector` does not match template `labels`');
  spec.at('template', 'spec', 'restartPolicy').oneOf(['Always']);
};

export const daemonSet: FieldRule = (place) => {
  const spec = place.at('spec');
  runningPods(spec);
  spec.at('updateStrategy', 'type').oneOf(['RollingUpdate', 'OnDelete']);
  const rolling = spec.at('updateStrategy', 'rollingUpdate');
  if (!rolling.isObject) return;
  countOrPercent(rolling.at('maxUnavailable'), 100);
  countOrPercent(rolling.at('maxSurge'), 100);
  const surges = rolling.at('maxSurge').value !== undefined && !isZeroCount(rolling.at('maxSurge'));
  const mayBeAway =
    !isZeroCount(rolling.at('maxUnavailable')) && (rolling.at('maxUnavailable').value !== undefined || !surges);
  if (surges && mayBeAway) rolling.at('maxSurge').invalid('may not be set when maxUnavailable is non-zero');
  if (!surges && !mayBeAway) rolling.at('maxUnavailable').invalid('cannot be 0 when maxSurge is 0');
};

export const statefulSet: FieldRule = (place) => {
  const spec = place.at('spec');
  const claims = spec.at('volumeClaimTemplates').items;
  for (const claim of claims) claimSpec(claim.at('spec'));
  runningPods(withClaims(spec, claims));
  spec.at('serviceName').named(dnsLabel);
  spec.at('podManagementPolicy').oneOf(['OrderedReady', 'Parallel']);
  const strategy = spec.at('updateStrategy', 'type');
  strategy.oneOf(['RollingUpdate', 'OnDelete']);
  const rolling = spec.at('updateStrategy', 'rollingUpdate');
  if (strategy.text === 'OnDelete' && rolling.isObject)
    rolling.invalid("only allowed for updateStrategy 'RollingUpdate'");
  rolling.at('partition').within(0);
  spec.at('ordinals', 'start').within(0);
  for (const name of ['whenDeleted', 'whenScaled'])
    spec.at('persistentVolumeClaimRetentionPolicy', name).oneOf(['Retain', 'Delete']);
};

/** The PodSpec with the volume claim templates as volumes, as its pods have them. */
function withClaims(spec: ResourceField, claims: ResourceField[]): ResourceField {
  const volumes = spec.at('template', 'spec', 'volumes');
  const names = [...new Set(claims.map((claim) => claim.at('metadata', 'name').text))];
  const own = volumes.items
    .filter((volume) => !names.includes(volume.at('name').text))
    .map(({ value }) => value ?? null);
  const all = [...own, ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: 'claim' } }))];
  return spec.with(['template', 'spec', 'volumes'], all);
}

/** Checks a Job; its name must be a valid label value, because its pods get it as a label. */
export const job: FieldRule = (place) => {
  const name = place.at('metadata', 'name');
  if (name.text.length > 63) name.invalid('must be no more than 63 bytes');
  jobSpec(place.at('spec'));
};

function jobSpec(spec: ResourceField): void {
  for (const name of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ])
    spec.at(name).within(0);
  const mode = spec.at('completionMode');
  if (mode.value !== undefined) mode.oneOf(['NonIndexed', 'Indexed'], true);
  if (mode.text === 'Indexed' && spec.at('completions').value === undefined)
    spec.at('completions').error('Required value: when completion mode is Indexed');
  if (mode.text !== 'Indexed')
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'])
      if (spec.at(name).value !== undefined) spec.at(name).invalid('requires indexed completion mode');
  if (spec.at('podReplacementPolicy').value !== undefined)
    spec.at('podReplacementPolicy').oneOf(['Failed', 'TerminatingOrFailed'], true);
  podTemplate(spec.at('template'));
  const restart = spec.at('template', 'spec', 'restartPolicy');
  if (restart.text === '' || restart.text === 'Always')
    restart.error('Required value: valid values: "OnFailure", "Never"');
  const selector = spec.at('selector');
  labelSelector(selector);
  if (spec.at('manualSelector').value !== true) {
    if (selector.isObject) selector.invalid('`selector` not auto-generated');
  } else if (!selector.isObject) selector.error('Required value');
  else if (!selects(selector, spec.at('template', 'metadata', 'labels')))
    spec.at('template', 'metadata', 'labels').invalid('`selector` does not match template `labels`');
}

export const cronJob: FieldRule = (place) => {
  const spec = place.at('spec');
  const name = place.at('metadata', 'name');
  if (name.text.length > 52) name.invalid('must be no more than 52 characters');
  const schedule = spec.at('schedule');
  if (schedule.required()) {
    const fault = cronFault(schedule.text);
    if (fault) schedule.invalid(fault);
  }
  const zone = spec.at('timeZone');
  if (zone.value !== undefined && !isZone(zone.text)) zone.invalid(`unknown time zone ${zone.text}`);
  spec.at('concurrencyPolicy').oneOf(['Allow', 'Forbid', 'Replace']);
  for (const member of ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'])
    spec.at(member).within(0);
  const selector = spec.at('jobTemplate', 'spec', 'selector');
  if (selector.isObject) selector.invalid('`selector` will be auto-generated');
  jobSpec(spec.at('jobTemplate', 'spec').without('selector'));
};

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name !== '' && name.toLowerCase() !== 'local';
  } catch {
    return false;
  }
}
