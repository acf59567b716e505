import { type Json, type JsonObject, isObject, objectOf, textOf } from '../../../formats/located.js';
import { type Part } from './part.js';
import { type Path, type Place, placesBelow, readable, readPath, readSteps } from './path.js';
import { allows, clausesFor, type Finding, type Rule, type SelectorSet } from './rule.js';
import { type Scene } from './scene.js';

/** One place that refers to something by its name. */
interface Reference {
  at: Path;
  name: Path;
  namespace: Path | undefined;
  kind: Path | undefined;
  group: Path | undefined;
  apiVersion: Path | undefined;
  defaults: JsonObject;
  format: string;
}

/** A name that was read off, before anybody looks who has it. */
interface Target {
  namespace: string;
  name: string;
  kind: string | undefined;
  group: string | undefined;
}

const FORMATS = new Set(['name', 'namespaced', 'host', 'claimTemplate']);

/** Finds what refers to something by name: `match: {strategy: "reference", refs: […], verb}`. */
export class ReferenceRule implements Rule {
  private constructor(
    private readonly set: SelectorSet,
    private readonly references: readonly Reference[],
    private readonly verb: string,
  ) {}

  /** Text says why a match cannot be taken. */
  static of(set: SelectorSet, match: JsonObject): ReferenceRule | string {
    const references: Reference[] = [];
    const listed = Array.isArray(match['refs']) ? match['refs'] : [];
    for (const entry of listed) {
      const reference = referenceOf(entry);
      if (reference === undefined) return `match.refs[${references.length}] is no reference.`;
      references.push(reference);
    }
    if (references.length === 0) return 'match.refs names no place that refers to something.';
    return new ReferenceRule(set, references, textOf(match['verb']) || 'refers to');
  }

  *find(scene: Scene): Generator<Finding> {
    for (const from of scene.of(this.set.from)) {
      for (const reference of this.references) {
        for (const place of from.places(reference.at)) {
          for (const name of placesBelow(place, reference.name))
            yield* this.follow(scene, from, reference, place, name);
        }
      }
    }
  }

  private *follow(scene: Scene, from: Part, reference: Reference, at: Place, name: Place): Generator<Finding> {
    const target = targetOf(scene, from, reference, at, name);
    if (target === undefined) return;
    for (const to of candidates(scene, from, reference, target, this.set)) {
      const rightKind = target.kind === undefined || target.kind === to.kind;
      if (!rightKind || (target.group !== undefined && target.group !== to.group)) continue;
      const clauses = allows(this.set, from, to) ? clausesFor(this.set, from, to) : undefined;
      if (clauses === undefined) continue;
      const place = (): ReturnType<Finding['place']> => ({
        from: name.pointer,
        to: to.name === '' ? '/component/kind' : '/configuration/metadata/name',
        detail: detailOf(name),
      });
      yield { from: [from], to: [to], clauses, verb: this.verb, place };
    }
  }
}

function candidates(
  scene: Scene,
  from: Part,
  { format }: Reference,
  { namespace, name }: Target,
  { to }: SelectorSet,
): Part[] {
  if (format !== 'claimTemplate') return scene.named(namespace, name);
  const prefix = `${name}-${from.name}-`;
  return scene
    .of(to)
    .filter((claim) => claim.namespace === namespace && claim.name.startsWith(prefix))
    .filter((claim) => /^\d+$/.test(claim.name.slice(prefix.length)));
}

function targetOf(scene: Scene, from: Part, reference: Reference, at: Place, { value }: Place): Target | undefined {
  const { defaults, format } = reference;
  const read = (path: Path | undefined): string | undefined => {
    const [found] = path === undefined ? [] : placesBelow(at, path);
    return typeof found?.value === 'string' ? found.value : undefined;
  };
  const name = typeof value === 'string' ? nameIn(value, format) : undefined;
  if (name === undefined) return undefined;
  const apiVersion = read(reference.apiVersion);
  const group = apiVersion === undefined ? read(reference.group) : groupOf(apiVersion);
  const given = name.namespace ?? (read(reference.namespace) || textOf(defaults['namespace']));
  return {
    name: name.name,
    namespace: given || from.namespace || scene.namespace,
    kind: read(reference.kind) ?? optional(defaults['kind']),
    group: group ?? optional(defaults['group']),
  };
}

/** A name as its format writes it; a wildcard or a host outside of the cluster is none. */
function nameIn(text: string, format: string): { name: string; namespace?: string } | undefined {
  if (text === '' || text.length > 512) return undefined;
  if (format === 'namespaced') {
    const [first = '', second, ...rest] = text.split('/');
    if (second === undefined) return { name: first };
    return rest.length > 0 || first === '' || second === '' ? undefined : { name: second, namespace: first };
  }
  if (format !== 'host') return { name: text };
  const [name = '', namespace, service, ...domain] = text.split('.');
  if (name === '' || name.includes('*') || (service !== undefined && service !== 'svc')) return undefined;
  if (service === undefined && domain.length > 0) return undefined;
  return namespace === undefined ? { name } : { name, namespace };
}

function referenceOf(entry: Json): Reference | undefined {
  const plain = { namespace: undefined, kind: undefined, group: undefined, apiVersion: undefined };
  if (!isObject(entry)) {
    const at = readPath(entry);
    return at && { ...plain, at, name: [], defaults: {}, format: 'name' };
  }
  const step = (member: string): Path | undefined =>
    typeof entry[member] === 'string' ? readSteps(entry[member]) : undefined;
  const at = entry['at'] === undefined ? ['configuration'] : readPath(entry['at']);
  const format = entry['format'] === undefined ? 'name' : textOf(entry['format']);
  const name = entry['name'] === undefined ? [] : step('name');
  if (at === undefined || name === undefined || !FORMATS.has(format)) return undefined;
  const [namespace, kind, group, apiVersion] = ['namespace', 'kind', 'group', 'apiVersion'].map(step);
  return { at, name, namespace, kind, group, apiVersion, defaults: objectOf(entry['default']), format };
}

function detailOf({ value, pointer }: Place): string {
  const text = textOf(value);
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return pointer === '/configuration/metadata'
    ? `a namespace is left out, which means ${shown}`
    : `${readable(pointer)} is ${shown}`;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

function optional(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
