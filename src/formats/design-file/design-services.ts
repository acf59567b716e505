import { validate } from 'uuid';
import { componentId } from './design-component.js';
import { restoreFieldNames } from './field-names.js';
import { COMPONENT_SCHEMA_VERSION, type DesignComponent } from './design-file.js';
import { isObject, type JsonObject, asObject, asText } from '../../core/json/json.js';

/** Members of a service with a counterpart in a component; all others are kept under `metadata.service`. */
const MAPPED_MEMBERS = [
  'type',
  'apiVersion',
  'model',
  'version',
  'name',
  'namespace',
  'labels',
  'annotations',
  'settings',
];
/** Converts the older form of a design, services by name, into components without loss; `componentsToServices` is the inverse. */
export function servicesToComponents(services: JsonObject): DesignComponent[] {
  const ids = new Set<string>();
  return Object.entries(services).map(([key, service]) => {
    const component = serviceToComponent(key, isObject(service) ? service : {});
    if (ids.has(component.id)) component.id = componentId(JSON.stringify(['service', key]));
    ids.add(component.id);
    return component;
  });
}

function serviceToComponent(key: string, service: JsonObject): DesignComponent {
  const { settings, labels, annotations } = service;
  const traits = asObject(asObject(service['traits'])['meshmap']);
  const shape = asObject(traits['meshmodel-metadata'] ?? traits['model-metadata']);
  const own = restoreFieldNames(asObject(settings));
  const name = asText(service['name']) || key;
  const namespace = shape['isNamespaced'] === false ? '' : asText(service['namespace']);
  const metadata: JsonObject = { name };
  if (namespace !== '') metadata['namespace'] = namespace;
  if (isObject(labels) && Object.keys(labels).length > 0) metadata['labels'] = labels;
  if (isObject(annotations) && Object.keys(annotations).length > 0) metadata['annotations'] = annotations;
  const id = asText(traits['id']);
  return {
    id: validate(id) ? id : componentId(JSON.stringify(['service', key])),
    schemaVersion: COMPONENT_SCHEMA_VERSION,
    version: 'v1.0.0',
    displayName: name,
    description: '',
    format: 'JSON',
    model: { name: asText(service['model']), version: asText(service['version']) },
    component: { kind: asText(service['type']), version: asText(service['apiVersion']) },
    configuration: { metadata: { ...metadata, ...asObject(own['metadata']) }, ...omit(own, ['metadata']) },
    metadata: {
      isAnnotation: service['isAnnotation'] === true || shape['isAnnotation'] === true,
      service: { key, ...omit(service, MAPPED_MEMBERS) },
    },
  };
}

/** The older form of a design, for clients that read `services`: one entry for each component, under its original key or its name. */
export function componentsToServices(components: readonly DesignComponent[]): JsonObject {
  const services = new Map<string, JsonObject>();
  for (const component of components) {
    const { key, ...kept } = asObject(component.metadata['service']);
    const { metadata, ...settings } = component.configuration;
    const { name, namespace, labels, annotations, ...more } = asObject(metadata);
    const wanted = asText(key) || asText(name) || component.displayName || component.component.kind;
    services.set(services.has(wanted) ? `${wanted}-${component.id}` : wanted, {
      traits: {},
      dependsOn: [],
      ...kept,
      type: component.component.kind,
      apiVersion: component.component.version,
      model: component.model.name,
      version: component.model.version ?? '',
      name: name ?? component.displayName,
      namespace: namespace ?? '',
      labels: labels ?? {},
      annotations: annotations ?? {},
      settings: Object.keys(more).length > 0 ? { metadata: more, ...settings } : settings,
    });
  }
  return Object.fromEntries(services);
}

function omit(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}
