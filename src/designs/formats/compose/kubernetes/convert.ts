import type { JsonObject } from '../../../../core/json/json.js';
import { type ComposeProject } from '../project.js';
import { convertAutoscaler } from './autoscaler.js';
import { ProjectConversion, type ProjectFiles, ServiceConversion } from './conversion.js';
import { convertService } from './service.js';
import { findReachedServices } from './reached-services.js';
import { convertConfigsAndSecrets } from './configs-and-secrets.js';
import { buildWorkload } from './workload.js';

/** Keys of a service that the conversion reads; all others are kept in the component alone. */
const mapped = new Set(
  `annotations cap_add cap_drop command configs container_name cpu_period cpu_quota cpus deploy dns dns_opt dns_search domainname
   entrypoint env_file environment expose extra_hosts gpus group_add healthcheck hostname image ipc labels mem_limit mem_reservation
   network_mode pid platform ports post_start pre_stop privileged profiles pull_policy read_only restart scale secrets security_opt
   shm_size stdin_open stop_grace_period sysctls tmpfs tty user volumes volumes_from working_dir`.split(/\s+/),
);

/**
 * Creates the Kubernetes resources of a resolved project. Each service becomes a workload and, with ports or when others connect to it by name, a Service;
 * volumes, configs and secrets become claims, ConfigMaps and Secrets. What has no counterpart is named under `kept`.
 */
export function convertProject(project: ComposeProject, files: ProjectFiles): ProjectConversion {
  const conversion = new ProjectConversion(project, files);
  convertConfigsAndSecrets(conversion);
  const all = new Map(
    [...project.services]
      .filter(([, definition]) => definition.provider === undefined)
      .map(([name, definition]) => [name, new ServiceConversion(conversion, name, definition)]),
  );
  const companions = new Map<ServiceConversion, ServiceConversion[]>();
  for (const service of all.values()) {
    const host = hostOf(service, all);
    if (service.name === '')
      service.fault(
        [],
        `nothing of the name "${service.composeName}" can be used in Kubernetes`,
        'Use letters and digits.',
      );
    companions.set(host, [...(companions.get(host) ?? []), service]);
  }
  const reached = findReachedServices(companions);
  for (const [service, pod] of companions) {
    const others = pod.filter((member) => member !== service);
    const workload = buildWorkload(service, others);
    service.add(workload, composeOf(service, others));
    const isReached = reached.has(service) || workload['kind'] === 'StatefulSet';
    const hasService = convertService(service, isReached);
    if (!hasService && companions.size > 1 && !isOneOff(workload)) warnOfMissingService(service);
    convertAutoscaler(service, workload);
  }
  return conversion;
}

/** Whether a workload runs to completion. */
function isOneOff({ kind }: JsonObject): boolean {
  return kind === 'Job' || kind === 'CronJob' || kind === 'Pod';
}

function warnOfMissingService(service: ServiceConversion): void {
  if (service.service.network_mode) return;
  const detail = 'has no ports, and no other service names it, so it gets no Service and cannot be reached by name';
  service.warn([], detail, 'Write the ports that it listens on in "expose" if other services connect to it.');
}

/** The service in whose pod a service runs: itself, unless it shares the network of another. */
function hostOf(service: ServiceConversion, all: ReadonlyMap<string, ServiceConversion>): ServiceConversion {
  const other = all.get(/^service:(.+)$/.exec(service.service.network_mode ?? '')?.[1] ?? '');
  return other === undefined ? service : hostOf(other, all);
}

function composeOf(service: ServiceConversion, others: readonly ServiceConversion[]): JsonObject {
  const kept = keptOf(service);
  return {
    definition: service.definition,
    ...(service.definition.image === undefined ? { built: true } : {}),
    ...(kept.length > 0 ? { kept } : {}),
    ...(others.length > 0
      ? {
          companions: Object.fromEntries(
            others.map((other) => [other.composeName, { definition: other.definition, kept: keptOf(other) }]),
          ),
        }
      : {}),
  };
}

function keptOf({ definition, unmapped }: ServiceConversion): string[] {
  return [...new Set([...Object.keys(definition).filter((key) => !mapped.has(key)), ...unmapped])].sort();
}
