import type { JsonObject } from '../../../../core/json/json.js';
import { definedMembers, type ServiceConversion, parseWholeNumber } from './conversion.js';
import { toDnsLabel, isLabelKey, isLabelValue } from './names.js';
import { type PodTemplate, buildPod } from './pod.js';

type WorkloadKind = 'Deployment' | 'DaemonSet' | 'StatefulSet' | 'Job' | 'CronJob' | 'Pod';

const controllers: Record<string, WorkloadKind> = {
  deployment: 'Deployment',
  daemonset: 'DaemonSet',
  statefulset: 'StatefulSet',
  replicationcontroller: 'Deployment',
};

/** The longest name of a CronJob: the names of its Jobs are 11 characters longer. */
const MAX_CRON_JOB_NAME_LENGTH = 52;

/** The resource that runs a service: a Deployment, unless its mode, its restart policy or a label requires another kind. */
export function buildWorkload(conversion: ServiceConversion, companions: readonly ServiceConversion[]): JsonObject {
  const kind = kindOf(conversion);
  const pod = buildPod(conversion, companions, kind === 'StatefulSet');
  const annotations = annotationsOf(conversion);
  const metadata = definedMembers({
    name: conversion.name,
    labels: { ...deployLabels(conversion), ...conversion.labels },
    annotations,
  });
  const template = {
    metadata: definedMembers({ labels: conversion.labels, annotations }),
    spec: { ...pod.spec, restartPolicy: kind === 'Job' || kind === 'CronJob' ? retryPolicyOf(conversion) : 'Always' },
  };
  const selector = { matchLabels: conversion.labels };
  switch (kind) {
    case 'Pod':
      return { apiVersion: 'v1', kind, metadata, spec: { ...pod.spec, restartPolicy: retryPolicyOf(conversion) } };
    case 'Job':
      return { apiVersion: 'batch/v1', kind, metadata, spec: jobSpec(conversion, template) };
    case 'CronJob':
      return {
        apiVersion: 'batch/v1',
        kind,
        metadata: { ...metadata, name: toDnsLabel(conversion.composeName, MAX_CRON_JOB_NAME_LENGTH) },
        spec: cronSpec(conversion, template),
      };
    case 'DaemonSet':
      return { apiVersion: 'apps/v1', kind, metadata, spec: { selector, template } };
    case 'StatefulSet':
      return {
        apiVersion: 'apps/v1',
        kind,
        metadata,
        spec: definedMembers({
          replicas: replicasOf(conversion) ?? 1,
          serviceName: conversion.name,
          selector,
          template,
          volumeClaimTemplates: [...pod.volumes.templates.values()],
        }),
      };
    case 'Deployment':
      return {
        apiVersion: 'apps/v1',
        kind,
        metadata,
        spec: definedMembers({
          replicas: replicasOf(conversion) ?? 1,
          selector,
          strategy: strategyOf(conversion, pod),
          template,
        }),
      };
  }
}

function kindOf(conversion: ServiceConversion): WorkloadKind {
  const label = conversion.label('kompose.controller.type')?.toLowerCase();
  if (label !== undefined) {
    if (Object.hasOwn(controllers, label)) return controllers[label] ?? 'Deployment';
    conversion.labelFault('kompose.controller.type', 'deployment, daemonset or statefulset');
  }
  const mode = conversion.service.deploy?.mode;
  if (mode === 'global') return 'DaemonSet';
  if (mode?.endsWith('-job')) return 'Job';
  const restart = restartOf(conversion);
  if (!/^(no|none|on-failure)/.test(restart)) return 'Deployment';
  if (conversion.label('kompose.cronjob.schedule') !== undefined) return 'CronJob';
  if ((replicasOf(conversion) ?? 1) === 1) return 'Pod';
  conversion.warn(
    ['deploy'],
    `restart ${restart} is kept; several replicas run in a Deployment, which always restarts them`,
  );
  return 'Deployment';
}

function restartOf({ service }: ServiceConversion): string {
  return service.deploy?.restart_policy?.condition ?? service.restart ?? 'always';
}

function retryPolicyOf(conversion: ServiceConversion): string {
  return restartOf(conversion).startsWith('on-failure') ? 'OnFailure' : 'Never';
}

function replicasOf({ service }: ServiceConversion): number | undefined {
  return parseWholeNumber(service.deploy?.replicas ?? service.scale);
}

function strategyOf({ service }: ServiceConversion, pod: PodTemplate): JsonObject | undefined {
  const update = service.deploy?.update_config;
  const together = parseWholeNumber(update?.parallelism ?? (update?.order === undefined ? undefined : 1));
  if (together !== undefined) {
    const many = together === 0 ? '100%' : together;
    const rollingUpdate =
      update?.order === 'start-first' ? { maxSurge: many, maxUnavailable: 0 } : { maxSurge: 0, maxUnavailable: many };
    return { type: 'RollingUpdate', rollingUpdate };
  }
  return pod.volumes.claimed ? { type: 'Recreate' } : undefined;
}

function jobSpec(conversion: ServiceConversion, template: JsonObject): JsonObject {
  const replicas = replicasOf(conversion);
  return definedMembers({
    parallelism: replicas,
    completions: replicas,
    backoffLimit: parseWholeNumber(conversion.service.deploy?.restart_policy?.max_attempts),
    template,
  });
}

function cronSpec(conversion: ServiceConversion, template: JsonObject): JsonObject {
  const of = (key: string): string | undefined => conversion.label(`kompose.cronjob.${key}`);
  const schedule = of('schedule') ?? '';
  if (!/^(@\w+|(\S+\s+){4}\S+)$/.test(schedule))
    conversion.labelFault('kompose.cronjob.schedule', 'five fields: "*/5 * * * *"');
  const policy = of('concurrency_policy');
  const concurrencyPolicy = ['Allow', 'Forbid', 'Replace'].find((name) => name.toLowerCase() === policy?.toLowerCase());
  if (policy !== undefined && concurrencyPolicy === undefined) {
    conversion.labelFault('kompose.cronjob.concurrency_policy', 'Allow, Forbid or Replace');
  }
  const backoffLimit = parseWholeNumber(of('backoff_limit'));
  return definedMembers({
    schedule,
    concurrencyPolicy,
    jobTemplate: { spec: definedMembers({ backoffLimit, template }) },
  });
}

function annotationsOf({ service }: ServiceConversion): JsonObject {
  const entries = Object.entries({ ...service.labels, ...service.annotations });
  return Object.fromEntries(entries.filter(([key]) => isLabelKey(key) && !key.startsWith('kompose.')));
}

function deployLabels({ service }: ServiceConversion): JsonObject {
  const entries = Object.entries(service.deploy?.labels ?? {});
  return Object.fromEntries(
    entries.filter(([key, value]) => isLabelKey(key) && isLabelValue(value) && !key.startsWith('kompose.')),
  );
}
