import type { ServiceConversion } from './conversion.js';
import { toServiceName } from './names.js';

/** The services of each pod: the one that owns its resources, and those that share its network. */
export type Pods = ReadonlyMap<ServiceConversion, readonly ServiceConversion[]>;

/** A word in the position of a host: alone, in a list, after `//` or `@`, before a port or a path; not the scheme of a URL. */
const HOST = /(?:^|[\s,;=@|()[\]{}"'<>]|\/\/)([A-Za-z0-9][\w.-]*)(?=$|[\s,;:/?#|()[\]{}"'<>&])(?!:\/\/)/g;
const DEFAULT_NETWORKS: readonly string[] = ['default'];

/**
 * The services that others connect to by name: named by `depends_on` or `links`, or as a host by the variables or arguments of a service in a shared
 * network. Warns about names that resolve in Compose and not in Kubernetes.
 */
export function findReachedServices(pods: Pods): ReadonlySet<ServiceConversion> {
  const reached = new Set<ServiceConversion>();
  const byName = new Map([...pods.keys()].map((target) => [target.composeName, target]));
  const hosts = namesInNetworks(pods);
  for (const [host, members] of pods) {
    const networks = networksOf(host);
    for (const member of members) {
      for (const name of dependenciesOf(member)) {
        const target = byName.get(name);
        if (target && target !== host) reached.add(target);
      }
      const aliases = linkAliases(member, byName);
      for (const [place, text] of textsOf(member)) {
        for (const word of new Set(Array.from(text.matchAll(HOST), ([, host = '']) => host))) {
          const target =
            aliases.get(word) ?? networks.map((network) => hosts.get(network)?.get(word)).find((found) => found);
          if (!target || target === host) continue;
          reached.add(target);
          warnOfOtherName(member, place, word, target);
        }
      }
    }
  }
  return reached;
}

/** The names of a service in each network: its name, its container's and its aliases there. */
function namesInNetworks(pods: Pods): ReadonlyMap<string, ReadonlyMap<string, ServiceConversion>> {
  const hosts = new Map<string, Map<string, ServiceConversion>>();
  for (const target of pods.keys()) {
    const { networks, container_name: container } = target.service;
    for (const network of networksOf(target)) {
      const known = hosts.get(network) ?? new Map<string, ServiceConversion>();
      hosts.set(network, known);
      const aliases = networks?.[network]?.['aliases'];
      const others = [container, ...(Array.isArray(aliases) ? aliases : [])];
      known.set(target.composeName, target);
      for (const name of others) if (typeof name === 'string' && !known.has(name)) known.set(name, target);
    }
  }
  return hosts;
}

function networksOf({ service }: ServiceConversion): readonly string[] {
  if (service.network_mode) return [];
  const names = Object.keys(service.networks ?? {});
  return names.length > 0 ? names : DEFAULT_NETWORKS;
}

/** The services on which a service depends, except those that must complete before it starts. */
function dependenciesOf({ service }: ServiceConversion): string[] {
  const needed = Object.entries(service.depends_on ?? {})
    .filter(([, { condition }]) => condition !== 'service_completed_successfully')
    .map(([name]) => name);
  return [...needed, ...(service.links ?? []).map((link) => link.split(':')[0] ?? '')];
}

function linkAliases(
  { service }: ServiceConversion,
  byName: ReadonlyMap<string, ServiceConversion>,
): Map<string, ServiceConversion> {
  const aliases = new Map<string, ServiceConversion>();
  for (const link of service.links ?? []) {
    const [name = '', alias = name] = link.split(':');
    const target = byName.get(name);
    if (target) aliases.set(alias, target);
  }
  return aliases;
}

/** The texts of a service that its program reads, with their locations. */
function textsOf({ service, conversion }: ServiceConversion): [place: (string | number)[], text: string][] {
  const texts: [(string | number)[], string][] = [];
  for (const [name, value] of Object.entries(service.environment ?? {}))
    texts.push([['environment', name], value ?? conversion.project.variables.get(name) ?? '']);
  for (const [index, { path }] of (service.env_file ?? []).entries())
    texts.push([['env_file', index], Buffer.from(conversion.files.file(path)?.bytes ?? []).toString()]);
  for (const key of ['entrypoint', 'command'] as const)
    for (const [index, argument] of (service[key] ?? []).entries()) texts.push([[key, index], argument]);
  return texts;
}

function warnOfOtherName(
  member: ServiceConversion,
  place: (string | number)[],
  word: string,
  { name, composeName }: ServiceConversion,
): void {
  const known = toServiceName(name);
  if (word === known) return;
  const service = word === composeName ? '' : `, which is the service ${composeName.slice(0, 80)}`;
  member.warn(
    place,
    `names the host ${word.slice(0, 80)}${service}; its Service in Kubernetes is ${known}`,
    `Write ${known}, or call the service so.`,
  );
}
