import { v5 } from 'uuid';
import { COMPONENT_SCHEMA, type DesignComponent } from './design-file.js';
import { isObject, type JsonObject, textOf } from './located.js';

const NAMESPACE = '6c1f4f5e-0f0b-5c55-9a2e-2f6f0c8f1d47';
/** Groups of Kubernetes itself: those without a dot (`apps`) and those below `k8s.io`; `x-k8s.io` is for extensions. */
const BUILT_IN = /^[^.]*$|\.k8s\.io$/;

/** Makes components of resources one by one, with ids that are the same each time the same resources are read. */
export class ComponentSeries {
  private readonly seen = new Map<string, number>();

  add(resource: JsonObject): DesignComponent {
    const identity = identityOf(resource);
    const occurrence = this.seen.get(identity) ?? 0;
    this.seen.set(identity, occurrence + 1);
    return componentOf(resource, occurrence);
  }
}

/** Components of resources in their order, as a ComponentSeries makes them. */
export function componentsOf(resources: readonly JsonObject[]): DesignComponent[] {
  const series = new ComponentSeries();
  return resources.map((resource) => series.add(resource));
}

/** One resource as a component; nothing of it is lost. `occurrence` tells resources of the same name apart (`generateName`). */
export function componentOf(resource: JsonObject, occurrence = 0): DesignComponent {
  const { apiVersion, kind, ...configuration } = resource;
  const version = textOf(apiVersion);
  return {
    id: componentId(identityOf(resource), occurrence),
    schemaVersion: COMPONENT_SCHEMA,
    version: 'v1.0.0',
    displayName: nameOf(configuration) ?? textOf(kind),
    description: '',
    format: 'JSON',
    model: { name: modelOf(version), version: '' },
    component: { kind: textOf(kind), version },
    configuration,
    metadata: {},
  };
}

/** The resource of a component. One that was drawn without a name gets the component's. */
export function resourceOf(component: DesignComponent): JsonObject {
  const { apiVersion: _version, kind: _kind, ...configuration } = component.configuration;
  const resource = { apiVersion: component.component.version, kind: component.component.kind, ...configuration };
  if (nameOf(configuration) !== undefined || component.displayName === '') return resource;
  const metadata = isObject(configuration['metadata']) ? configuration['metadata'] : {};
  return { ...resource, metadata: { name: component.displayName, ...metadata } };
}

/** Whether a component stands for something in a cluster: shapes, comments and components without an apiVersion do not. */
export function isDeployable(component: DesignComponent): boolean {
  return component.metadata['isAnnotation'] !== true && component.component.version !== '';
}

/** A UUID that depends on nothing but its input. */
export function componentId(identity: string, occurrence = 0): string {
  return v5(occurrence === 0 ? identity : `${identity}#${occurrence}`, NAMESPACE);
}

/** What makes a resource the same one: apiVersion, kind, namespace and name. */
export function identityOf({ apiVersion, kind, metadata }: JsonObject): string {
  const { namespace, name, generateName } = isObject(metadata) ? metadata : {};
  const named = name === undefined ? ['generateName', textOf(generateName)] : ['name', textOf(name)];
  return JSON.stringify([textOf(apiVersion), textOf(kind), textOf(namespace), ...named]);
}

/** The model that a resource most likely belongs to; the registry knows better once it has the kind. */
function modelOf(apiVersion: string): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return BUILT_IN.test(group) ? 'kubernetes' : group;
}

function nameOf({ metadata }: JsonObject): string | undefined {
  if (!isObject(metadata)) return undefined;
  const name = metadata['name'] ?? metadata['generateName'];
  return typeof name === 'string' && name !== '' ? name : undefined;
}
