import { type DesignComponent } from '../../../formats/design-file.js';
import { isObject, type JsonObject, objectOf, textOf } from '../../../formats/located.js';
import { type Clause, fitsOne } from './clause.js';
import { CLUSTER_SCOPED } from './cluster-scoped.js';
import { scalar } from './label-requirement.js';
import { labelsOf, Part } from './part.js';
import { ANY, type Path } from './path.js';

/** The components of a design, found by kind, by name and by label without walking through all of them. */
export class Scene {
  readonly parts: readonly Part[];
  private readonly kinds = new Map<string, Part[]>();
  private readonly names = new Map<string, Part[]>();
  private readonly labels = new Map<string, Map<string, Part[]>>();
  private readonly namespaces = new Map<string, JsonObject>();

  constructor(
    components: readonly DesignComponent[],
    /** The namespace of what names none. */
    readonly namespace: string,
  ) {
    this.parts = components.map((component, index) => new Part(component, index));
    const scopes = scopesIn(this.parts);
    for (const part of this.parts) {
      part.namespace = this.namespaceOf(part, scopes);
      add(this.kinds, part.kind, part);
      if (part.name !== '' && part.isDeployable) add(this.names, nameKey(part.namespace, part.name), part);
      if (part.kind === 'Namespace' && part.group === '')
        this.namespaces.set(part.name, objectOf(objectOf(part.component.configuration['metadata'])['labels']));
    }
  }

  /** What any of the clauses means, once each, in the order of the design. */
  of(clauses: readonly Clause[]): Part[] {
    if (clauses.some(({ kind }) => kind === ANY)) return this.parts.filter((part) => fitsOne(clauses, part));
    const kinds = new Set(clauses.map(({ kind }) => kind));
    const parts = [...kinds].flatMap((kind) => this.kinds.get(kind) ?? []).filter((part) => fitsOne(clauses, part));
    return kinds.size > 1 ? parts.sort((one, other) => one.index - other.index) : parts;
  }

  /** What has this name in this namespace, or in none. */
  named(namespace: string, name: string): Part[] {
    const outside = this.names.get(nameKey('', name)) ?? [];
    return namespace === '' ? outside : [...(this.names.get(nameKey(namespace, name)) ?? []), ...outside];
  }

  /** What has this label at a path. */
  labelled(path: Path, key: string, value: string): Part[] {
    const location = JSON.stringify(path);
    let index = this.labels.get(location);
    if (index === undefined) {
      index = new Map();
      for (const part of this.parts) {
        const labels = objectOf(labelsOf(part, path)?.value);
        for (const [label, is] of Object.entries(labels)) add(index, nameKey(label, scalar(is)), part);
      }
      this.labels.set(location, index);
    }
    return index.get(nameKey(key, value)) ?? [];
  }

  /** Labels of a namespace: those of its component, and the one that every namespace has. */
  labelsOfNamespace(name: string): JsonObject {
    return { ...this.namespaces.get(name), 'kubernetes.io/metadata.name': name };
  }

  private namespaceOf(part: Part, scopes: ReadonlyMap<string, string>): string {
    const { configuration, metadata } = part.component;
    if (!part.isDeployable || metadata['isNamespaced'] === false) return '';
    const scope = scopes.get(nameKey(part.group, part.kind));
    const known = CLUSTER_SCOPED.get(part.group)?.includes(part.kind) === true;
    if (scope === 'Cluster' || (scope === undefined && known)) return '';
    return textOf(objectOf(configuration['metadata'])['namespace']) || this.namespace;
  }
}

/** Scopes that the definitions of custom resources in a design state, by group and kind. */
function scopesIn(parts: readonly Part[]): Map<string, string> {
  const scopes = new Map<string, string>();
  for (const { kind, component } of parts) {
    const { spec } = component.configuration;
    if (kind !== 'CustomResourceDefinition' || !isObject(spec)) continue;
    scopes.set(nameKey(textOf(spec['group']), textOf(objectOf(spec['names'])['kind'])), textOf(spec['scope']));
  }
  return scopes;
}

function nameKey(first: string, second: string): string {
  return `${first}\n${second}`;
}

function add(index: Map<string, Part[]>, key: string, part: Part): void {
  const parts = index.get(key);
  if (parts === undefined) index.set(key, [part]);
  else parts.push(part);
}
