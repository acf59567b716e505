import { componentId } from './design-component.js';
import {
  COMPONENT_SCHEMA_VERSION,
  DESIGN_SCHEMA_VERSION,
  type DesignComponent,
  type DesignFile,
} from './design-file.js';
import { restoreFieldNames } from './field-names.js';
import { servicesToComponents } from './design-services.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../core/json/json.js';

export interface NewDesign {
  name: string;
  components: DesignComponent[];
  metadata?: JsonObject;
}

/** A design file of components, with everything else at its default. */
export function createDesign({ name, components, metadata = {} }: NewDesign): DesignFile {
  return {
    name,
    schemaVersion: DESIGN_SCHEMA_VERSION,
    version: '0.0.1',
    components,
    relationships: [],
    metadata,
    preferences: {},
  };
}

/**
 * The canonical form of data in which findDesignFaults finds nothing: absent members get their defaults, the older `services` become components,
 * components without an id get a stable one, field names in display form are spelled plainly, and unknown members are kept. `name` is the default name.
 */
export function toCanonicalDesign(data: JsonObject, name: string): DesignFile {
  const { id, services, components, version, ...rest } = data;
  const drawn = filterObjects(components).map((component, index) => toCanonicalComponent(component, index));
  const older = drawn.length === 0 && isObject(services);
  const design: DesignFile = {
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
    ...rest,
    name: asText(data['name']) || name,
    schemaVersion: asText(data['schemaVersion']) || DESIGN_SCHEMA_VERSION,
    version: typeof version === 'number' ? String(version) : asText(version) || '0.0.1',
    components: older ? servicesToComponents(services) : drawn,
    relationships: filterObjects(data['relationships']),
    metadata: asObject(data['metadata']),
    preferences: asObject(data['preferences']),
  };
  if (services !== undefined && !older) design['services'] = services;
  return design;
}

function toCanonicalComponent(data: JsonObject, index: number): DesignComponent {
  const definition = asObject(data['component']);
  const kind = asText(definition['kind']);
  const version = asText(definition['version']);
  const displayName = textOr(data['displayName'], kind);
  const model = asObject(data['model']);
  return {
    ...data,
    id: asText(data['id']) || componentId(JSON.stringify(['component', version, kind, displayName, index])),
    schemaVersion: asText(data['schemaVersion']) || COMPONENT_SCHEMA_VERSION,
    version: textOr(data['version'], 'v1.0.0'),
    displayName,
    description: asText(data['description']),
    format: textOr(data['format'], 'JSON'),
    model: { ...model, name: asText(model['name']) },
    component: { ...definition, kind, version },
    configuration: restoreFieldNames(asObject(data['configuration'])),
    metadata: asObject(data['metadata']),
  };
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function filterObjects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
