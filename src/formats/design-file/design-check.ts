import { type Fault } from '../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';

type Shape = 'text' | 'object' | 'list';

const DESIGN_SHAPE: Record<string, Shape> = {
  id: 'text',
  name: 'text',
  schemaVersion: 'text',
  components: 'list',
  relationships: 'list',
  services: 'object',
  metadata: 'object',
  preferences: 'object',
};
const COMPONENT_SHAPE: Record<string, Shape> = {
  id: 'text',
  schemaVersion: 'text',
  version: 'text',
  displayName: 'text',
  description: 'text',
  format: 'text',
  model: 'object',
  component: 'object',
  configuration: 'object',
  metadata: 'object',
};
const WORDS: Record<Shape, string> = { text: 'text', object: 'an object', list: 'a list' };

/**
 * The faults of the data of a design file, with RFC 6901 pointers into it; empty when it can be made canonical.
 * Absent and null members are not faults, except those that identify a component.
 */
export function findDesignFaults(design: JsonObject): Fault[] {
  const faults = findShapeFaults(design, DESIGN_SHAPE, '');
  const { schemaVersion, components, relationships, services } = design;
  if (typeof schemaVersion === 'string' && schemaVersion !== '' && !schemaVersion.startsWith('designs.meshery.io/')) {
    faults.push(
      designFault('/schemaVersion', `is "${schemaVersion}", not that of a design`, 'Use designs.meshery.io/v1beta1.'),
    );
  }
  if (!['string', 'number', 'undefined'].includes(typeof (design['version'] ?? undefined))) {
    faults.push(designFault('/version', 'must be text', 'Write a version such as "0.0.1".'));
  }
  if (Array.isArray(components)) faults.push(...findComponentFaults(components));
  if (Array.isArray(relationships)) {
    relationships.forEach((relationship, index) => {
      if (!isObject(relationship)) faults.push(designFault(toPointer('relationships', index), 'must be an object'));
    });
  }
  if (isObject(services)) faults.push(...findServiceFaults(services));
  return faults;
}

function findComponentFaults(components: readonly Json[]): Fault[] {
  const ids = new Map<string, number>();
  return components.flatMap((component, index) => {
    const at = toPointer('components', index);
    if (!isObject(component)) return [designFault(at, 'must be an object')];
    const faults = findShapeFaults(component, COMPONENT_SHAPE, at);
    const definition = component['component'];
    if (definition === undefined || definition === null) {
      faults.push(
        designFault(
          `${at}/component`,
          'is missing',
          'Say which component it is: {"kind": "Deployment", "version": "apps/v1"}.',
        ),
      );
    } else if (isObject(definition)) {
      faults.push(...findShapeFaults(definition, { kind: 'text', version: 'text' }, `${at}/component`));
      if (definition['kind'] === undefined || definition['kind'] === null || definition['kind'] === '') {
        faults.push(designFault(`${at}/component/kind`, 'is missing', 'Name the kind of the component.'));
      }
    }
    const id = component['id'];
    if (typeof id === 'string' && id !== '') {
      const first = ids.get(id);
      if (first !== undefined) {
        faults.push(
          designFault(`${at}/id`, `is also the id of components/${first}`, 'Give each component its own id.'),
        );
      }
      ids.set(id, first ?? index);
    }
    return faults;
  });
}

function findServiceFaults(services: JsonObject): Fault[] {
  return Object.entries(services).flatMap(([key, service]) => {
    const at = toPointer('services', key);
    if (!isObject(service)) return [designFault(at, 'must be an object')];
    const faults = findShapeFaults(
      service,
      {
        type: 'text',
        apiVersion: 'text',
        settings: 'object',
        traits: 'object',
        labels: 'object',
        annotations: 'object',
      },
      at,
    );
    if (service['type'] === undefined || service['type'] === null || service['type'] === '') {
      faults.push(designFault(`${at}/type`, 'is missing', 'Name the kind of the service.'));
    }
    return faults;
  });
}

function findShapeFaults(value: JsonObject, shapes: Record<string, Shape>, at: string): Fault[] {
  return Object.entries(shapes).flatMap(([key, shape]) => {
    const member = value[key];
    if (member === undefined || member === null || getShape(member) === shape) return [];
    return [designFault(at + toPointer(key), `must be ${WORDS[shape]}`)];
  });
}

function getShape(value: Json): Shape | undefined {
  if (typeof value === 'string') return 'text';
  return Array.isArray(value) ? 'list' : isObject(value) ? 'object' : undefined;
}

function designFault(pointer: string, detail: string, remedy?: string): Fault {
  const field = pointer.slice(1);
  return { pointer, detail: `${field} ${detail}`, ...(remedy === undefined ? {} : { remedy }) };
}
