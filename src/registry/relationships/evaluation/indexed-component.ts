import { isDeployable } from '../../../formats/design-file/design-component.js';
import { type DesignComponent } from '../../../formats/design-file/design-file.js';
import { isObject, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type ComponentPath, type LocatedValue, findPlacesAt, type PathPlace } from './component-path.js';

/** A component with the values that it has as an alias of another one. */
export interface ResolvedAlias {
  content: DesignComponent;
  parentId: string | undefined;
}

/** One component of a design, with the values that relationships read. */
export class IndexedComponent {
  readonly id: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly group: string;
  /** The name by which others reference it; empty when it has none yet (`generateName`). */
  readonly name: string;
  /** Its name in sentences. */
  readonly title: string;
  /** Empty for cluster-scoped components, and for those that name none: they agree with every namespace. */
  namespace = '';
  /** Whether it is in a namespace, named or not. */
  isNamespaced = false;
  private readonly values = new Map<ComponentPath, LocatedValue[]>();

  constructor(
    readonly component: DesignComponent,
    /** Its index in the design. */
    readonly index: number,
    private readonly alias: ResolvedAlias = { content: component, parentId: undefined },
  ) {
    const { kind, version } = component.component;
    const metadata = asObject(component.configuration['metadata']);
    this.id = component.id;
    this.kind = kind;
    this.apiVersion = version;
    this.group = version.includes('/') ? version.slice(0, version.indexOf('/')) : '';
    const generated = asText(metadata['generateName']);
    this.name = asText(metadata['name']) || (generated === '' ? component.displayName : '');
    this.title = `${kind} ${truncate(this.name || generated)}`;
  }

  /** The id of the component that it is an alias of. */
  get parentId(): string | undefined {
    return this.alias.parentId;
  }

  get isDeployable(): boolean {
    return isDeployable(this.component);
  }

  /** Values at a path; `$namespace`, `$kind`, `$group`, `$apiVersion`, `$name` are its own, and `$pod` its Pod or Pod template. */
  valuesAt(path: ComponentPath): LocatedValue[] {
    let values = this.values.get(path);
    if (values === undefined) this.values.set(path, (values = this.findValues(path)));
    return values;
  }

  /** As `valuesAt`, without caching, for a path that is read once. */
  findValues(path: ComponentPath): LocatedValue[] {
    return this.findPlaces(path).filter((found): found is PathPlace & LocatedValue => found.value !== undefined);
  }

  /** The places of a path, those without a value too. */
  findPlaces(path: ComponentPath): PathPlace[] {
    const [first = '', ...rest] = path;
    const place = { value: this.alias.content as JsonObject, pointer: '' };
    if (!first.startsWith('$')) return findPlacesAt(place, path);
    if (first === '$pod') return findPlacesAt(place, ['configuration', ...podTemplatePath(this.kind), ...rest]);
    const [value = '', ...at] = this.readOwnValue(first);
    const [written] = findPlacesAt(place, at);
    const pointer = written?.value === undefined ? '/configuration/metadata' : written.pointer;
    return [{ value: value === '' ? undefined : value, pointer, items: [], namespace: '' }];
  }

  private readOwnValue(name: string): string[] {
    if (name === '$namespace') return [this.namespace, 'configuration', 'metadata', 'namespace'];
    if (name === '$name') return [this.name, 'configuration', 'metadata', 'name'];
    if (name === '$kind') return [this.kind, 'component', 'kind'];
    if (name === '$group') return [this.group, 'component', 'version'];
    return name === '$apiVersion' ? [this.apiVersion, 'component', 'version'] : [];
  }
}

/** The path of a kind to its Pod: the resource itself, or its Pod template. */
function podTemplatePath(kind: string): ComponentPath {
  if (kind === 'Pod') return [];
  if (kind === 'CronJob') return ['spec', 'jobTemplate', 'spec', 'template'];
  return kind === 'PodTemplate' ? ['template'] : ['spec', 'template'];
}

/** Labels below a path that ends in `labels`; empty where the object has no labels, undefined where there is no such object. */
export function findLabels(part: IndexedComponent, path: ComponentPath): LocatedValue | undefined {
  const [labels] = part.valuesAt(path);
  if (labels !== undefined) return isObject(labels.value) ? labels : undefined;
  const thing = path.slice(0, path.at(-2) === 'metadata' ? -2 : -1);
  const [owner] = thing.length === 0 ? [] : part.findValues(thing);
  return owner !== undefined && isObject(owner.value) ? { value: {}, pointer: owner.pointer } : undefined;
}

function truncate(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
