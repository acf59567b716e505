import { v5 } from 'uuid';
import { COMPONENT_SCHEMA_VERSION, type DesignComponent, type DesignFile } from './design-file.js';
import { isObject, type JsonObject, asText } from '../../core/json/json.js';
import { isInstalled, isTestHook } from './helm-hook.js';

const ID_NAMESPACE = '6c1f4f5e-0f0b-5c55-9a2e-2f6f0c8f1d47';
/** API groups of Kubernetes itself: those without a dot (`apps`) and those below `k8s.io`; `x-k8s.io` is for extensions. */
const BUILT_IN_GROUP = /^[^.]*$|\.k8s\.io$/;

/** Converts resources to components one by one, with ids that are stable when the same resources are read again. */
export class ComponentSeries {
  private readonly seen = new Map<string, number>();

  add(resource: JsonObject): DesignComponent {
    const identity = resourceIdentity(resource);
    const occurrence = this.seen.get(identity) ?? 0;
    this.seen.set(identity, occurrence + 1);
    return toComponent(resource, occurrence);
  }
}

/** Components of resources in their order, as a ComponentSeries creates them. */
export function toComponents(resources: readonly JsonObject[]): DesignComponent[] {
  const series = new ComponentSeries();
  return resources.map((resource) => series.add(resource));
}

/** One resource as a component; nothing of it is lost. `occurrence` distinguishes resources of the same name (`generateName`). */
export function toComponent(resource: JsonObject, occurrence = 0): DesignComponent {
  const { apiVersion, kind, ...configuration } = resource;
  const version = asText(apiVersion);
  return {
    id: componentId(resourceIdentity(resource), occurrence),
    schemaVersion: COMPONENT_SCHEMA_VERSION,
    version: 'v1.0.0',
    displayName: getResourceName(configuration) ?? asText(kind),
    description: '',
    format: 'JSON',
    model: { name: guessModel(version), version: '' },
    component: { kind: asText(kind), version },
    configuration,
    metadata: {},
  };
}

/** The resource of a component. One that was drawn without a name gets the component's. */
export function toResource(component: DesignComponent): JsonObject {
  const { apiVersion: _version, kind: _kind, ...configuration } = component.configuration;
  const resource = { apiVersion: component.component.version, kind: component.component.kind, ...configuration };
  if (getResourceName(configuration) !== undefined || component.displayName === '') return resource;
  const metadata = isObject(configuration['metadata']) ? configuration['metadata'] : {};
  return { ...resource, metadata: { name: component.displayName, ...metadata } };
}

/** Whether a component represents a resource in a cluster: shapes, comments and components without an apiVersion do not. */
export function isDeployable(component: DesignComponent): boolean {
  return component.metadata['isAnnotation'] !== true && component.component.version !== '';
}

/** A UUID derived from its input. */
export function componentId(identity: string, occurrence = 0): string {
  return v5(occurrence === 0 ? identity : `${identity}#${occurrence}`, ID_NAMESPACE);
}

/** The identity of a resource: apiVersion, kind, namespace and name. */
export function resourceIdentity({ apiVersion, kind, metadata }: JsonObject): string {
  const { namespace, name, generateName } = isObject(metadata) ? metadata : {};
  const named = name === undefined ? ['generateName', asText(generateName)] : ['name', asText(name)];
  return JSON.stringify([asText(apiVersion), asText(kind), asText(namespace), ...named]);
}

/** The most likely model of a resource; the registry takes precedence once it has the kind. */
function guessModel(apiVersion: string): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return BUILT_IN_GROUP.test(group) ? 'kubernetes' : group;
}

function getResourceName({ metadata }: JsonObject): string | undefined {
  if (!isObject(metadata)) return undefined;
  const name = metadata['name'] ?? metadata['generateName'];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Whether deploying its design applies a component to a cluster, including chart hooks for installing and upgrading. */
export function isDeployed(component: DesignComponent): boolean {
  return isDeployable(component) && isInstalled(component);
}

/** The components that a deployment of a design may apply to a cluster at some time, in its order: all except those for `helm test`. */
export function getDeployedComponents({ components }: Pick<DesignFile, 'components'>): DesignComponent[] {
  return components.filter((component) => isDeployable(component) && !isTestHook(component));
}
