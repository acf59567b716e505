import { isIP } from 'node:net';
import type { Json, JsonObject } from '../../../../core/json/json.js';
import { parseSeconds } from '../quantities.js';
import { buildContainer } from './container.js';
import { definedMembers, type ServiceConversion } from './conversion.js';
import { toDnsLabel, isDnsLabel, isDnsName } from './names.js';
import { buildPlacement } from './placement.js';
import { PodVolumes } from './pod-volumes.js';
import { buildPodSecurity } from './security.js';
import { mountVolumes } from './volumes.js';

export interface PodTemplate {
  spec: JsonObject;
  volumes: PodVolumes;
}

/** The pod of a service, with the containers of those that share its network (`network_mode: service:…`). */
export function buildPod(
  conversion: ServiceConversion,
  companions: readonly ServiceConversion[],
  stateful: boolean,
): PodTemplate {
  const { service } = conversion;
  const volumes = new PodVolumes();
  const containers = [conversion, ...companions].map((member) => {
    const mounted = member === conversion ? volumes : new PodVolumes(volumes.volumes);
    mountVolumes(member, mounted, stateful && member === conversion);
    volumes.claimed ||= mounted.claimed;
    return buildContainer(member, [...mounted.mounts.values()]);
  });
  const names = new Set(containers.map(({ name }) => name));
  if (names.size < containers.length) {
    conversion.fault(
      ['container_name'],
      'two containers of one pod have the same name',
      'Give each its own container_name.',
    );
  }
  const host = service.network_mode === 'host';
  const spec = definedMembers({
    initContainers: initContainers(conversion),
    containers,
    volumes: [...volumes.volumes.values()],
    hostNetwork: host || undefined,
    hostPID: service.pid === 'host' || undefined,
    hostIPC: service.ipc === 'host' || undefined,
    dnsPolicy: host ? 'ClusterFirstWithHostNet' : undefined,
    dnsConfig: dnsConfig(conversion),
    hostname: label(conversion, 'hostname'),
    subdomain: label(conversion, 'domainname'),
    hostAliases: hostAliases(conversion),
    securityContext: buildPodSecurity(conversion),
    serviceAccountName: nameLabel(conversion, 'kompose.serviceaccount-name'),
    imagePullSecrets: pullSecrets(conversion),
    ...buildPlacement(conversion),
  });
  const grace = service.stop_grace_period === undefined ? undefined : parseSeconds(service.stop_grace_period);
  if (grace !== undefined) spec.terminationGracePeriodSeconds = Math.ceil(grace);
  for (const key of ['pid', 'ipc', 'network_mode'] as const) {
    if (service[key] && service[key] !== 'host') conversion.keepInComponent(key);
  }
  return { spec, volumes };
}

function label(conversion: ServiceConversion, key: 'hostname' | 'domainname'): string | undefined {
  const name = conversion.service[key];
  if (!name) return undefined;
  return isDnsLabel(name)
    ? name
    : conversion.keepInComponent(key, `the ${key} "${name.slice(0, 80)}" is kept; pods take one DNS label`);
}

function dnsConfig(conversion: ServiceConversion): JsonObject {
  const { dns = [], dns_search: searches = [], dns_opt: options = [] } = conversion.service;
  const nameservers = [...new Set(dns.filter((server) => isIP(server) !== 0))];
  if (nameservers.length < dns.length || nameservers.length > 3) conversion.keepInComponent('dns');
  const names = [...new Set(searches.filter(isDnsName))];
  if (names.length < searches.length || names.length > 32) conversion.keepInComponent('dns_search');
  return definedMembers({
    nameservers: nameservers.slice(0, 3),
    searches: names.slice(0, 32),
    options: options.map((option): Json => {
      const [name = '', value] = option.split(':');
      return value === undefined ? { name } : { name, value };
    }),
  });
}

function hostAliases(conversion: ServiceConversion): Json[] {
  const names = new Map<string, Set<string>>();
  for (const [host, addresses] of Object.entries(conversion.service.extra_hosts ?? {})) {
    for (const address of addresses) {
      const ip = address.replace(/^\[|\]$/g, '');
      if (isIP(ip) === 0 || !isDnsName(host)) {
        conversion.keepInComponent(
          'extra_hosts',
          `the host ${host.slice(0, 80)} is kept; Kubernetes takes names for addresses only`,
        );
      } else names.set(ip, (names.get(ip) ?? new Set<string>()).add(host));
    }
  }
  return [...names].map(([ip, hostnames]) => ({ ip, hostnames: [...hostnames] }));
}

function initContainers(conversion: ServiceConversion): Json[] {
  const prefix = 'kompose.init.containers';
  const image = conversion.label(`${prefix}.image`);
  if (image === undefined || image === '') return [];
  const name = toDnsLabel(conversion.label(`${prefix}.name`) ?? '') || 'init-service';
  const text = conversion.label(`${prefix}.command`);
  return [
    definedMembers({ name, image, command: text === undefined ? undefined : commandOf(conversion, prefix, text) }),
  ];
}

function commandOf(conversion: ServiceConversion, prefix: string, text: string): string[] | undefined {
  try {
    const command: unknown = JSON.parse(text);
    if (Array.isArray(command) && command.every((word) => typeof word === 'string')) return command;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  conversion.labelFault(`${prefix}.command`, 'a JSON list of texts: ["sh", "-c", "sleep 1"]');
  return undefined;
}

function pullSecrets(conversion: ServiceConversion): Json[] {
  const name = nameLabel(conversion, 'kompose.image-pull-secret');
  return name === undefined ? [] : [{ name }];
}

function nameLabel(conversion: ServiceConversion, key: string): string | undefined {
  const name = conversion.label(key);
  if (name === undefined || isDnsName(name)) return name;
  conversion.labelFault(key, 'a name of lower case letters, digits, "." and "-"');
  return undefined;
}
