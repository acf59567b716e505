import { toResource } from '../../../formats/design-file/design-component.js';
import { type DesignComponent, type DesignFile } from '../../../formats/design-file/design-file.js';
import { isObject, type Json, type JsonObject, asText } from '../../../core/json/json.js';
import { listOf, objectOf, toServiceFields } from './from-container.js';
import { escapeDollars } from './interpolation.js';
import { convertProject } from './kubernetes/convert.js';
import { definedMembers, parseWholeNumber } from './kubernetes/conversion.js';
import { type ComposeProject, type ComposeSection, COMPOSE_SECTIONS } from './project.js';

const workloads = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Pod']);

export interface ComposeExport {
  /** The Compose file as data; serialized with toYaml. */
  file: JsonObject;
  /** The components that a Compose file cannot express. */
  unconverted: DesignComponent[];
}

/**
 * Writes a design as a Compose file. Services imported from Compose are written as imported, with later changes of their workload
 * (image, command, environment, replicas, resources and the like); other workloads become services of their containers.
 */
export function toCompose(design: DesignFile): ComposeExport {
  const kept = objectOf(design.metadata.compose);
  const members = new Map(
    COMPOSE_SECTIONS.map((section) => [section, new Map(Object.entries(objectOf(kept[section])))]),
  );
  const services = members.get('services') ?? new Map<string, Json>();
  const left: DesignComponent[] = [];
  for (const component of design.components) {
    const origin = objectOf(component.metadata.compose);
    const isWorkload = workloads.has(component.component.kind);
    if (isObject(origin.definition) && isWorkload) addOriginal(services, origin);
    else if (Object.keys(origin).length > 0) continue;
    else if (isWorkload) addContainers(services, component, design);
    else if (!isServiceOf(component, design)) left.push(component);
  }
  applyChanges(design, members);
  const parts = Object.fromEntries([...members].map(([section, all]) => [section, Object.fromEntries(all)]));
  const file = definedMembers({ name: kept.name, ...objectOf(kept.rest), ...parts });
  return { file: escapeValues(file) as JsonObject, unconverted: left };
}

function addOriginal(services: Map<string, Json>, origin: JsonObject): void {
  const { service, definition, companions } = origin;
  if (typeof service === 'string') services.set(service, definition ?? {});
  for (const [name, companion] of Object.entries(objectOf(companions)))
    services.set(name, objectOf(companion).definition ?? {});
}

/** Converts the original services again; where a component differs from the result, it was edited, and the change is applied. */
function applyChanges(design: DesignFile, members: ReadonlyMap<ComposeSection, Map<string, Json>>): void {
  const section = (key: ComposeSection): Map<string, JsonObject> =>
    new Map([...(members.get(key) ?? [])].map(([name, member]) => [name, objectOf(member)]));
  const project: ComposeProject = {
    services: section('services'),
    networks: section('networks'),
    volumes: section('volumes'),
    configs: section('configs'),
    secrets: section('secrets'),
    models: section('models'),
    rest: {},
    variables: new Map(),
    fault: (pointer, detail) => ({ pointer, detail }),
  };
  const { converted } = convertProject(project, { file: () => undefined, directory: () => new Map() });
  const original = new Map(
    converted.map(({ resource, compose }) => [`${asText(resource.kind)} ${serviceNames(compose).join(' ')}`, resource]),
  );
  for (const component of design.components) {
    const names = serviceNames(objectOf(component.metadata.compose));
    const before = original.get(`${component.component.kind} ${names.join(' ')}`);
    if (!before || !workloads.has(component.component.kind) || names.length === 0) continue;
    const [was, is] = [containersOf(before), containersOf(toResource(component))];
    const replicas = [parseWholeNumber(replicasOf(before)), parseWholeNumber(replicasOf(component.configuration))];
    for (const [index, name] of names.entries()) {
      const definition = objectOf(members.get('services')?.get(name));
      const changed = findChanges(toServiceFields(was[index] ?? {}), toServiceFields(is[index] ?? {}), definition);
      if (index === 0 && replicas[1] !== undefined && replicas[0] !== replicas[1]) {
        changed.deploy = { ...objectOf(changed.deploy), replicas: replicas[1] };
        delete changed.scale;
      }
      members.get('services')?.set(name, changed);
    }
  }
}

function findChanges(was: JsonObject, is: JsonObject, definition: JsonObject): JsonObject {
  const changed = { ...definition };
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (JSON.stringify(was[key]) === JSON.stringify(is[key])) continue;
    const value = is[key];
    if (key === 'environment') changed.environment = changeVariables(objectOf(was[key]), objectOf(value), definition);
    else if (key === 'deploy') changed.deploy = { ...objectOf(definition.deploy), ...objectOf(value) };
    else if (value === undefined) delete changed[key];
    else changed[key] = value;
  }
  return changed;
}

/** The variables of a service with their changes. Variables without a value are passed through and are not in the container. */
function changeVariables(was: JsonObject, is: JsonObject, definition: JsonObject): JsonObject {
  const variables = { ...objectOf(definition.environment) };
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const value = is[name];
    if (value === undefined) delete variables[name];
    else if (value !== was[name]) variables[name] = value;
  }
  return variables;
}

/** Workloads that were not imported from Compose: each container is a service, the second and later ones in the network of the first. */
function addContainers(services: Map<string, Json>, component: DesignComponent, design: DesignFile): void {
  const resource = toResource(component);
  const name = asText(objectOf(resource.metadata).name);
  const replicas = parseWholeNumber(replicasOf(resource));
  for (const [index, container] of containersOf(resource).entries()) {
    const fields = toServiceFields(container);
    const deploy = definedMembers({
      ...objectOf(fields.deploy),
      ...(replicas === undefined || index > 0 ? {} : { replicas }),
    });
    const mode: JsonObject = component.component.kind === 'DaemonSet' ? { mode: 'global' } : {};
    const own = index === 0 ? name : `${name}-${asText(container.name)}`;
    const network = index === 0 ? { ports: findPublishedPorts(resource, design) } : { network_mode: `service:${name}` };
    const expose = listOf(container.ports).map(({ containerPort }) => String(Number(containerPort)));
    services.set(own, definedMembers({ ...fields, deploy: { ...deploy, ...mode }, expose, ...network }));
  }
}

/** Ports that Services of the design publish for a workload: those of type NodePort and LoadBalancer. */
function findPublishedPorts(resource: JsonObject, design: DesignFile): Json[] {
  return design.components
    .filter((component) => selects(component, resource))
    .flatMap(({ configuration }) => {
      const spec = objectOf(configuration.spec);
      if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return [];
      return listOf(spec.ports).flatMap(({ port, targetPort, protocol }): Json[] => {
        const target = typeof targetPort === 'number' ? targetPort : port;
        if (typeof target !== 'number') return [];
        return [
          {
            target,
            published: String(Number(port)),
            protocol: typeof protocol === 'string' ? protocol.toLowerCase() : 'tcp',
          },
        ];
      });
    });
}

function isServiceOf(component: DesignComponent, design: DesignFile): boolean {
  return design.components.some(
    (other) => workloads.has(other.component.kind) && selects(component, toResource(other)),
  );
}

function selects({ component, configuration }: DesignComponent, workload: JsonObject): boolean {
  if (component.kind !== 'Service') return false;
  const selector = Object.entries(objectOf(objectOf(configuration.spec).selector));
  const labels = objectOf(objectOf(templateOf(workload).metadata).labels);
  return selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
}

function serviceNames(compose: JsonObject): string[] {
  if (typeof compose.service !== 'string' || compose.definition === undefined) return [];
  return [compose.service, ...Object.keys(objectOf(compose.companions))];
}

function templateOf(resource: JsonObject): JsonObject {
  const spec = objectOf(resource.spec);
  const job = objectOf(objectOf(spec.jobTemplate).spec);
  return resource.kind === 'Pod' ? resource : objectOf(job.template ?? spec.template);
}

function containersOf(resource: JsonObject): JsonObject[] {
  return listOf(objectOf(templateOf(resource).spec).containers);
}

function replicasOf({ spec }: JsonObject): number | undefined {
  const { replicas } = objectOf(spec);
  return typeof replicas === 'number' ? replicas : undefined;
}

function escapeValues(value: Json): Json {
  if (typeof value === 'string') return escapeDollars(value);
  if (Array.isArray(value)) return value.map(escapeValues);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, escapeValues(member)]))
    : value;
}
