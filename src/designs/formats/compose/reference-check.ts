import { type Fault } from '../../../core/errors/app-error.js';
import type { JsonObject } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { findClosestName } from '../../../core/closest-name.js';
import { parseBytes } from './quantities.js';
import { type ComposeProject, type ComposeService, toService } from './project.js';

/** The remedy for a file that is only part of a project. */
const OVERLAY_REMEDY =
  'Import an override file together with the file that it overrides: as an archive, with both names in COMPOSE_FILE.';

/** Checking stops after this many faults. */
const MAX_FAULTS = 200;

/** The maximum number of ports of a project, with ranges expanded. */
const MAX_PORTS = 10_000;

/** A service of the project that another one depends on. */
interface Dependency {
  name: string;
  pointer: string;
}

/**
 * Faults between the parts of a project: services without an image, unresolved names, circular dependencies,
 * and mutually exclusive keys. `inactive` are the services whose profiles are off.
 */
export function checkReferences(project: ComposeProject, inactive: ReadonlyMap<string, JsonObject>): Fault[] {
  const faults: Fault[] = [];
  for (const [name, definition] of project.services) {
    if (faults.length > MAX_FAULTS) return faults;
    const service = toService(definition);
    const report = (segments: (string | number)[], detail: string, remedy?: string): void => {
      faults.push(project.fault(toPointer('services', name, ...segments), detail, remedy));
    };
    if (service.image === '' && !service.build) {
      report(
        ['image'],
        `services.${name}.image is empty`,
        'A variable in it may not be set: send it in env, or write it into .env.',
      );
    } else if (!service.image && !service.build && !service.provider) {
      report([], `services.${name} has neither "image" nor "build"`, `Name an image. ${OVERLAY_REMEDY}`);
    }
    if (service.network_mode && Object.keys(service.networks ?? {}).length > 0) {
      report(['network_mode'], 'network_mode and networks exclude one another', 'Remove one of the two.');
    }
    for (const { name: other, pointer } of findDependencies(name, service)) {
      if (project.services.has(other)) continue;
      const profiles = toService(inactive.get(other) ?? {}).profiles;
      const close = findClosestName(other, project.services.keys());
      const remedy = profiles
        ? `Turn a profile on: ${profiles.join(', ')}.`
        : close === undefined
          ? `Define the service. ${OVERLAY_REMEDY}`
          : `Did you mean "${close}"?`;
      const detail = `services.${name} needs the service "${other}", which is ${profiles ? 'in no active profile' : 'not defined'}`;
      faults.push(project.fault(pointer, detail, remedy));
    }
    faults.push(...findUndefinedResources(project, name, service), ...findMemoryFaults(project, name, service));
  }
  const ports = [...project.services.values()].reduce(
    (sum, definition) => sum + (toService(definition).ports?.length ?? 0),
    0,
  );
  if (ports > MAX_PORTS) {
    faults.push(
      project.fault('/services', `publishes ${ports} ports, more than ${MAX_PORTS}`, 'Use network_mode: host.'),
    );
  }
  return [...faults, ...findCycles(project)];
}

/** The services that a service refers to: `depends_on`, `links`, `volumes_from`, and namespaces shared with another service. */
export function findDependencies(name: string, service: ComposeService): Dependency[] {
  const at = (...segments: (string | number)[]): string => toPointer('services', name, ...segments);
  const shared = (['network_mode', 'ipc', 'pid'] as const).flatMap((key) => {
    const other = /^service:(.+)$/.exec(service[key] ?? '')?.[1];
    return other === undefined ? [] : [{ name: other, pointer: at(key) }];
  });
  return [
    ...Object.entries(service.depends_on ?? {})
      .filter(([, { required }]) => required)
      .map(([other]) => ({ name: other, pointer: at('depends_on', other) })),
    ...(service.links ?? []).map((link, index) => ({ name: link.split(':')[0] ?? '', pointer: at('links', index) })),
    ...(service.volumes_from ?? [])
      .map((source, index) => ({ source, name: source.split(':')[0] ?? '', pointer: at('volumes_from', index) }))
      .filter(({ source }) => !source.startsWith('container:')),
    ...shared,
  ];
}

function findUndefinedResources(project: ComposeProject, name: string, service: ComposeService): Fault[] {
  const uses = [
    ...Object.keys(service.networks ?? {}).map((used) => ['networks', used, used] as const),
    ...(service.volumes ?? []).flatMap(({ type, source }, index) =>
      type === 'volume' && source ? [['volumes', source, index] as const] : [],
    ),
    ...(service.configs ?? []).map(({ source }, index) => ['configs', source, index] as const),
    ...(service.secrets ?? []).map(({ source }, index) => ['secrets', source, index] as const),
  ];
  return uses
    .filter(([section, used]) => !project[section].has(used) && !(section === 'networks' && used === 'default'))
    .map(([section, used, at]) => {
      const close = findClosestName(used, project[section].keys());
      return project.fault(
        toPointer('services', name, section, at),
        `services.${name} uses "${used}", which is not defined under ${section}`,
        close === undefined
          ? `Add "${used}" to ${section} at the top level. ${OVERLAY_REMEDY}`
          : `Did you mean "${close}"?`,
      );
    });
}

function findMemoryFaults(project: ComposeProject, name: string, service: ComposeService): Fault[] {
  const { limits, reservations } = service.deploy?.resources ?? {};
  const at = toPointer('services', name, 'deploy', 'resources', 'reservations');
  const limit = parseBytes(limits?.memory ?? service.mem_limit ?? Infinity) ?? Infinity;
  const faults: Fault[] = [];
  if ((parseBytes(reservations?.memory ?? service.mem_reservation ?? 0) ?? 0) > limit) {
    faults.push(project.fault(at, `services.${name} reserves more memory than its limit`, 'Raise the limit.'));
  }
  if (Number(reservations?.cpus ?? 0) > Number(limits?.cpus ?? service.cpus ?? Infinity)) {
    faults.push(project.fault(at, `services.${name} reserves more processors than its limit`, 'Raise the limit.'));
  }
  return faults;
}

/** One fault for each cycle. Iterative, because a chain may be as long as the file. */
function findCycles(project: ComposeProject): Fault[] {
  const faults: Fault[] = [];
  const done = new Set<string>();
  for (const start of project.services.keys()) {
    const path: { name: string; next: Dependency[] }[] = [];
    const open = new Set<string>();
    const enter = (name: string): void => {
      open.add(name);
      path.push({ name, next: findDependencies(name, toService(project.services.get(name) ?? {})) });
    };
    if (!done.has(start)) enter(start);
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const dependency = step.next.pop();
      if (!dependency) {
        done.add(step.name);
        open.delete(step.name);
        path.pop();
      } else if (open.has(dependency.name)) {
        const names = path.map(({ name }) => name);
        const circle = [...names.slice(names.indexOf(dependency.name)), dependency.name];
        const shown = circle.length > 20 ? [...circle.slice(0, 20), '…'] : circle;
        faults.push(
          project.fault(
            dependency.pointer,
            `services depend on one another: ${shown.join(' → ')}`,
            'Remove one of the dependencies.',
          ),
        );
      } else if (!done.has(dependency.name) && project.services.has(dependency.name)) enter(dependency.name);
    }
  }
  return faults;
}
