import { type JsonObject } from '../../../../formats/located.js';
import { present, type ServiceConversion, wholeNumber } from './conversion.js';
import { dnsLabel, isLabelKey, isLabelValue } from './names.js';
import { type Pod, podOf } from './pod.js';

type Kind = 'Deployment' | 'DaemonSet' | 'StatefulSet' | 'Job' | 'CronJob' | 'Pod';

const controllers: Record<string, Kind> = {
  deployment: 'Deployment',
  daemonset: 'DaemonSet',
  statefulset: 'StatefulSet',
  replicationcontroller: 'Deployment',
};

/** The longest name of a CronJob: its Jobs get 11 characters more. */
const CRON_JOB_NAME = 52;

/** The resource that runs a service: a Deployment, unless its mode, its restart policy or a label asks for another kind. */
export function workloadOf(conversion: ServiceConversion, companions: readonly ServiceConversion[]): JsonObject {
  const kind = kindOf(conversion);
  const pod = podOf(conversion, companions, kind === 'StatefulSet');
  const annotations = annotationsOf(conversion);
  const metadata = present({
    name: conversion.name,
    labels: { ...deployLabels(conversion), ...conversion.labels },
    annotations,
  });
  const template = {
    metadata: present({ labels: conversion.labels, annotations }),
    spec: { ...pod.spec, restartPolicy: kind === 'Job' || kind === 'CronJob' ? onceMore(conversion) : 'Always' },
  };
  const selector = { matchLabels: conversion.labels };
  switch (kind) {
    case 'Pod':
      return { apiVersion: 'v1', kind, metadata, spec: { ...pod.spec, restartPolicy: onceMore(conversion) } };
    case 'Job':
      return { apiVersion: 'batch/v1', kind, metadata, spec: jobSpec(conversion, template) };
    case 'CronJob':
      return {
        apiVersion: 'batch/v1',
        kind,
        metadata: { ...metadata, name: dnsLabel(conversion.composeName, CRON_JOB_NAME) },
        spec: cronSpec(conversion, template),
      };
    case 'DaemonSet':
      return { apiVersion: 'apps/v1', kind, metadata, spec: { selector, template } };
    case 'StatefulSet':
      return {
        apiVersion: 'apps/v1',
        kind,
        metadata,
        spec: present({
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
        spec: present({
          replicas: replicasOf(conversion) ?? 1,
          selector,
          strategy: strategyOf(conversion, pod),
          template,
        }),
      };
  }
}

function kindOf(conversion: ServiceConversion): Kind {
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

function onceMore(conversion: ServiceConversion): string {
  return restartOf(conversion).startsWith('on-failure') ? 'OnFailure' : 'Never';
}

function replicasOf({ service }: ServiceConversion): number | undefined {
  return wholeNumber(service.deploy?.replicas ?? service.scale);
}

function strategyOf({ service }: ServiceConversion, pod: Pod): JsonObject | undefined {
  const update = service.deploy?.update_config;
  const together = wholeNumber(update?.parallelism ?? (update?.order === undefined ? undefined : 1));
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
  return present({
    parallelism: replicas,
    completions: replicas,
    backoffLimit: wholeNumber(conversion.service.deploy?.restart_policy?.max_attempts),
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
  const backoffLimit = wholeNumber(of('backoff_limit'));
  return present({ schedule, concurrencyPolicy, jobTemplate: { spec: present({ backoffLimit, template }) } });
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
