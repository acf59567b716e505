import { type DesignComponent } from '../../../formats/design-file/design-file.js';
import { isObject, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type SelectorClause, matchesAny } from './selector-clause.js';
import { CLUSTER_SCOPED } from './cluster-scoped.js';
import { toLabelText } from './label-requirement.js';
import { findLabels, IndexedComponent, type ResolvedAlias } from './indexed-component.js';
import { WILDCARD, type ComponentPath } from './component-path.js';

/** Indexes the components of a design by kind, name and label. */
export class ComponentIndex {
  readonly components: readonly IndexedComponent[];
  private readonly kinds = new Map<string, IndexedComponent[]>();
  private readonly names = new Map<string, IndexedComponent[]>();
  private readonly namesInNamespaces = new Map<string, IndexedComponent[]>();
  private readonly labels = new Map<string, Map<string, IndexedComponent[]>>();
  private readonly namespaces = new Map<string, JsonObject>();

  constructor(
    components: readonly DesignComponent[],
    /** The namespace of components that name none; empty when they are in none. */
    readonly namespace: string,
    resolveAlias: (component: DesignComponent) => ResolvedAlias,
  ) {
    this.components = components.map(
      (component, index) => new IndexedComponent(component, index, resolveAlias(component)),
    );
    const scopes = readDefinedScopes(this.components);
    for (const part of this.components) {
      part.isNamespaced = isNamespaced(part, scopes);
      if (part.isNamespaced)
        part.namespace = asText(asObject(part.component.configuration['metadata'])['namespace']) || namespace;
      addToIndex(this.kinds, part.kind, part);
      if (part.name !== '' && part.isDeployable) {
        addToIndex(this.names, part.name, part);
        addToIndex(this.namesInNamespaces, nameKey(part.namespace, part.name), part);
      }
      if (part.kind === 'Namespace' && part.group === '')
        this.namespaces.set(part.name, asObject(asObject(part.component.configuration['metadata'])['labels']));
    }
  }

  /** The components that match any of the clauses, once each, in the order of the design. */
  select(clauses: readonly SelectorClause[]): IndexedComponent[] {
    if (clauses.some(({ kind }) => kind === WILDCARD))
      return this.components.filter((part) => matchesAny(clauses, part));
    const kinds = new Set(clauses.flatMap((clause) => clause.selectKinds(this.kinds.keys())));
    const parts = [...kinds].flatMap((kind) => this.kinds.get(kind) ?? []).filter((part) => matchesAny(clauses, part));
    return kinds.size > 1 ? parts.sort((one, other) => one.index - other.index) : parts;
  }

  /** The components with this name in this namespace or in none; in every namespace when it is empty. */
  findByName(namespace: string, name: string): IndexedComponent[] {
    if (namespace === '') return this.names.get(name) ?? [];
    const [inside = [], outside = []] = [namespace, ''].map((each) => this.namesInNamespaces.get(nameKey(each, name)));
    return [...inside, ...outside];
  }

  /** The components with this label at a path. */
  findByLabel(path: ComponentPath, key: string, value: string): IndexedComponent[] {
    const location = JSON.stringify(path);
    let index = this.labels.get(location);
    if (index === undefined) {
      index = new Map();
      for (const part of this.components) {
        const labels = asObject(findLabels(part, path)?.value);
        for (const [label, is] of Object.entries(labels)) addToIndex(index, nameKey(label, toLabelText(is)), part);
      }
      this.labels.set(location, index);
    }
    return index.get(nameKey(key, value)) ?? [];
  }

  /** The labels of a namespace: those of its component, and the one that every namespace has. */
  labelsOfNamespace(name: string): JsonObject {
    return { ...this.namespaces.get(name), 'kubernetes.io/metadata.name': name };
  }
}

function isNamespaced(part: IndexedComponent, scopes: ReadonlyMap<string, string>): boolean {
  if (!part.isDeployable || part.component.metadata['isNamespaced'] === false) return false;
  const scope = scopes.get(nameKey(part.group, part.kind));
  if (scope !== undefined) return scope !== 'Cluster';
  return CLUSTER_SCOPED.get(part.group)?.includes(part.kind) !== true;
}

/** The scopes of the custom resource definitions in a design, by group and kind. */
function readDefinedScopes(parts: readonly IndexedComponent[]): Map<string, string> {
  const scopes = new Map<string, string>();
  for (const { kind, component } of parts) {
    const { spec } = component.configuration;
    if (kind !== 'CustomResourceDefinition' || !isObject(spec)) continue;
    scopes.set(nameKey(asText(spec['group']), asText(asObject(spec['names'])['kind'])), asText(spec['scope']));
  }
  return scopes;
}

function nameKey(first: string, second: string): string {
  return `${first}\n${second}`;
}

function addToIndex(index: Map<string, IndexedComponent[]>, key: string, part: IndexedComponent): void {
  const parts = index.get(key);
  if (parts === undefined) index.set(key, [part]);
  else parts.push(part);
}
