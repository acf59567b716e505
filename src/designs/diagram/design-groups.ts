import { type DesignComponent, type DesignFile } from '../../formats/design-file/design-file.js';
import { isObject, asObject, asText } from '../../core/json/json.js';
import { type Relation } from './design-relations.js';
import { type DiagramGroup } from './diagram.js';
import { toDisplayText } from './display-text.js';

/** The groups of components of a design. */
export interface DesignGroups {
  groups: DiagramGroup[];
  /** Index of the group for each component that is in one. */
  groupOf: Map<number, number>;
  /** Namespaces whose frame lists related subjects, by index. */
  namespaces: Set<number>;
  /** Components that a frame represents: the first of each such Namespace. */
  frames: Set<number>;
}

/** Groups components by the service of their Compose file, or by namespace. */
export function groupComponents(design: DesignFile, relations: readonly Relation[]): DesignGroups {
  return isObject(design.metadata['compose'])
    ? groupByService(design.components, relations)
    : groupByNamespace(design.components, relations);
}

/** A component without a service, such as a named volume, belongs to the only service that uses it. */
function groupByService(components: readonly DesignComponent[], relations: readonly Relation[]): DesignGroups {
  const services = components.map(serviceOf);
  const users = new Map<number, Set<string>>();
  for (const { from, to } of relations) {
    if (services[to] === '') users.set(to, (users.get(to) ?? new Set()).add(services[from] ?? ''));
  }
  const names = services.map((service, index) => {
    const [user, ...others] = users.get(index) ?? [];
    return others.length === 0 ? service || (user ?? '') : service;
  });
  return toDesignGroups('Service', names);
}

/** A component without a namespace belongs to the one that a relationship assigns. An empty Namespace is no frame. */
function groupByNamespace(components: readonly DesignComponent[], relations: readonly Relation[]): DesignGroups {
  const names = components.map(namespaceOf);
  const namespaces = new Set([...components.keys()].filter((index) => isNamespace(components[index])));
  for (const { from, to, isParent } of relations) {
    if (isParent && names[from] === '' && namespaces.has(to)) names[from] = names[to] ?? '';
  }
  const inhabited = new Set(names.filter((_name, index) => !namespaces.has(index)));
  const frames = new Map<string, number>();
  for (const index of namespaces) {
    const name = names[index] ?? '';
    if (!inhabited.has(name)) names[index] = '';
    else if (!frames.has(name)) frames.set(name, index);
  }
  const { groups, groupOf } = toDesignGroups('Namespace', names);
  for (const index of frames.values()) {
    const group = groups[groupOf.get(index) ?? -1];
    if (group) group.component = components[index]?.id;
  }
  return { groups, groupOf, namespaces, frames: new Set(frames.values()) };
}

function toDesignGroups(kind: string, names: readonly string[]): DesignGroups {
  const distinct = [...new Set(names.filter((name) => name !== ''))];
  const numbers = new Map(distinct.map((name, number) => [name, number]));
  const groupOf = new Map<number, number>();
  for (const [index, name] of names.entries()) {
    const number = numbers.get(name);
    if (number !== undefined) groupOf.set(index, number);
  }
  const groups = distinct.map((name): DiagramGroup => ({ kind, name: toDisplayText(name) || '?' }));
  return { groups, groupOf, namespaces: new Set(), frames: new Set() };
}

const isNamespace = (component: DesignComponent | undefined): boolean =>
  component?.component.kind === 'Namespace' && component.component.version === 'v1';

function namespaceOf(component: DesignComponent): string {
  const { name, namespace } = asObject(component.configuration['metadata']);
  return isNamespace(component) ? asText(name) || component.displayName : asText(namespace);
}

const serviceOf = ({ metadata }: DesignComponent): string => asText(asObject(metadata['compose'])['service']);
