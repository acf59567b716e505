import { isDeployable } from '../../../formats/design-file/design-component.js';
import { type DesignComponent } from '../../../formats/design-file/design-file.js';
import { isObject, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type ComponentPath, type LocatedValue, findValuesAt } from './component-path.js';

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
  /** Empty for cluster-scoped components. */
  namespace = '';
  private readonly known = new Map<ComponentPath, LocatedValue[]>();

  constructor(
    readonly component: DesignComponent,
    /** Its index in the design. */
    readonly index: number,
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

  get isDeployable(): boolean {
    return isDeployable(this.component);
  }

  /** Values at a path; `$namespace`, `$kind`, `$group`, `$apiVersion`, `$name` are its own, and `$pod` its Pod or Pod template. */
  valuesAt(path: ComponentPath): LocatedValue[] {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    const found = this.findValues(path);
    this.known.set(path, found);
    return found;
  }

  /** As `valuesAt`, without caching, for a path that is read once. */
  findValues(path: ComponentPath): LocatedValue[] {
    const [first = '', ...rest] = path;
    const place = { value: this.component as JsonObject, pointer: '' };
    if (!first.startsWith('$')) return findValuesAt(place, path);
    if (first === '$pod') return findValuesAt(place, ['configuration', ...podTemplatePath(this.kind), ...rest]);
    const [value = '', ...at] = this.readOwnValue(first);
    const [written] = findValuesAt(place, at);
    return value === '' ? [] : [{ value, pointer: written?.pointer ?? '/configuration/metadata' }];
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
