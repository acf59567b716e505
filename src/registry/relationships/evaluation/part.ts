import { isDeployable } from '../../../formats/design-component.js';
import { type DesignComponent } from '../../../formats/design-file.js';
import { isObject, type JsonObject, objectOf, textOf } from '../../../formats/located.js';
import { type Path, type Place, placesBelow } from './path.js';

/** One component of a design, with what relationships ask about it. */
export class Part {
  readonly id: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly group: string;
  /** By which others refer to it; empty when it has none yet (`generateName`). */
  readonly name: string;
  /** How a sentence calls it. */
  readonly title: string;
  /** Empty for what is in no namespace. */
  namespace = '';
  private readonly known = new Map<Path, Place[]>();

  constructor(
    readonly component: DesignComponent,
    /** Where it stands in the design. */
    readonly index: number,
  ) {
    const { kind, version } = component.component;
    const metadata = objectOf(component.configuration['metadata']);
    this.id = component.id;
    this.kind = kind;
    this.apiVersion = version;
    this.group = version.includes('/') ? version.slice(0, version.indexOf('/')) : '';
    const generated = textOf(metadata['generateName']);
    this.name = textOf(metadata['name']) || (generated === '' ? component.displayName : '');
    this.title = `${kind} ${shortened(this.name || generated)}`;
  }

  get isDeployable(): boolean {
    return isDeployable(this.component);
  }

  /** Values at a path; `$namespace`, `$kind`, `$group`, `$apiVersion`, `$name` are its own, and `$pod` its Pod or template of Pods. */
  places(path: Path): Place[] {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    const found = this.look(path);
    this.known.set(path, found);
    return found;
  }

  /** As `places`, for a path that is asked once. */
  look(path: Path): Place[] {
    const [first = '', ...rest] = path;
    const place = { value: this.component as unknown as JsonObject, pointer: '' };
    if (!first.startsWith('$')) return placesBelow(place, path);
    if (first === '$pod') return placesBelow(place, ['configuration', ...podOf(this.kind), ...rest]);
    const [value = '', ...at] = this.own(first);
    const [written] = placesBelow(place, at);
    return value === '' ? [] : [{ value, pointer: written?.pointer ?? '/configuration/metadata' }];
  }

  private own(name: string): string[] {
    if (name === '$namespace') return [this.namespace, 'configuration', 'metadata', 'namespace'];
    if (name === '$name') return [this.name, 'configuration', 'metadata', 'name'];
    if (name === '$kind') return [this.kind, 'component', 'kind'];
    if (name === '$group') return [this.group, 'component', 'version'];
    return name === '$apiVersion' ? [this.apiVersion, 'component', 'version'] : [];
  }
}

/** Where a kind keeps its Pod: itself, or the template of those that it makes. */
function podOf(kind: string): Path {
  if (kind === 'Pod') return [];
  if (kind === 'CronJob') return ['spec', 'jobTemplate', 'spec', 'template'];
  return kind === 'PodTemplate' ? ['template'] : ['spec', 'template'];
}

/** Labels below a path that ends in `labels`; none where the thing has no labels, undefined where there is no such thing. */
export function labelsOf(part: Part, path: Path): Place | undefined {
  const [labels] = part.places(path);
  if (labels !== undefined) return isObject(labels.value) ? labels : undefined;
  const thing = path.slice(0, path.at(-2) === 'metadata' ? -2 : -1);
  const [owner] = thing.length === 0 ? [] : part.look(thing);
  return owner !== undefined && isObject(owner.value) ? { value: {}, pointer: owner.pointer } : undefined;
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
