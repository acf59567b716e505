import { componentId } from './design-component.js';
import { COMPONENT_SCHEMA, DESIGN_SCHEMA, type DesignComponent, type DesignFile } from './design-file.js';
import { componentsOfServices } from './design-services.js';
import { isObject, type Json, type JsonObject, objectOf, textOf } from './located.js';

export interface NewDesign {
  name: string;
  components: DesignComponent[];
  metadata?: JsonObject;
}

/** A design file of components, with everything else at its default. */
export function newDesign({ name, components, metadata = {} }: NewDesign): DesignFile {
  return {
    name,
    schemaVersion: DESIGN_SCHEMA,
    version: '0.0.1',
    components,
    relationships: [],
    metadata,
    preferences: {},
  };
}

/**
 * The canonical form of data in which faultsOfDesign finds nothing: what is absent gets its default, the older `services` become components,
 * components without an id get one that is the same each time, and all members that we do not know are kept. `name` stands in for a missing one.
 */
export function canonicalDesign(data: JsonObject, name: string): DesignFile {
  const { id, services, components, version, ...rest } = data;
  const drawn = listOf(components).map((component, index) => canonicalComponent(component, index));
  const older = drawn.length === 0 && isObject(services);
  const design: DesignFile = {
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
    ...rest,
    name: textOf(data['name']) || name,
    schemaVersion: textOf(data['schemaVersion']) || DESIGN_SCHEMA,
    version: typeof version === 'number' ? String(version) : textOf(version) || '0.0.1',
    components: older ? componentsOfServices(services) : drawn,
    relationships: listOf(data['relationships']),
    metadata: objectOf(data['metadata']),
    preferences: objectOf(data['preferences']),
  };
  if (services !== undefined && !older) design['services'] = services;
  return design;
}

function canonicalComponent(data: JsonObject, index: number): DesignComponent {
  const definition = objectOf(data['component']);
  const kind = textOf(definition['kind']);
  const version = textOf(definition['version']);
  const displayName = given(data['displayName'], kind);
  const model = objectOf(data['model']);
  return {
    ...data,
    id: textOf(data['id']) || componentId(JSON.stringify(['component', version, kind, displayName, index])),
    schemaVersion: textOf(data['schemaVersion']) || COMPONENT_SCHEMA,
    version: given(data['version'], 'v1.0.0'),
    displayName,
    description: textOf(data['description']),
    format: given(data['format'], 'JSON'),
    model: { ...model, name: textOf(model['name']) },
    component: { ...definition, kind, version },
    configuration: objectOf(data['configuration']),
    metadata: objectOf(data['metadata']),
  };
}

function given(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
