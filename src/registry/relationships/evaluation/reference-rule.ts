import { type Json, type JsonObject, isObject, asObject, asText } from '../../../core/json/json.js';
import { type IndexedComponent } from './indexed-component.js';
import {
  type ComponentPath,
  type LocatedValue,
  findValuesAt,
  formatPointer,
  parsePath,
  parseSteps,
} from './component-path.js';
import {
  isAllowedPair,
  findClauses,
  PAUSE_STEPS,
  type RuleMatch,
  type EvaluationRule,
  type SelectorSet,
} from './evaluation-rule.js';
import { type ComponentIndex } from './component-index.js';

/** One reference by name in a definition. */
interface ReferencePath {
  at: ComponentPath;
  name: ComponentPath;
  namespace: ComponentPath | undefined;
  kind: ComponentPath | undefined;
  group: ComponentPath | undefined;
  apiVersion: ComponentPath | undefined;
  defaults: JsonObject;
  format: string;
}

/** A name that was read, before it is resolved. */
interface ReferenceTarget {
  namespace: string;
  name: string;
  kind: string | undefined;
  group: string | undefined;
}

const NAME_FORMATS = new Set(['name', 'namespaced', 'host', 'claimTemplate']);

/** Finds references by name: `match: {strategy: "reference", refs: […], verb}`. */
export class ReferenceRule implements EvaluationRule {
  /** Names and components that were read since others had their turn. */
  private steps = 0;

  private constructor(
    private readonly set: SelectorSet,
    private readonly references: readonly ReferencePath[],
    private readonly verb: string,
  ) {}

  /** Text with the reason why a match is invalid. */
  static parse(set: SelectorSet, match: JsonObject): ReferenceRule | string {
    const references: ReferencePath[] = [];
    const listed = Array.isArray(match['refs']) ? match['refs'] : [];
    for (const entry of listed) {
      const reference = parseReference(entry);
      if (reference === undefined) return `match.refs[${references.length}] is not a reference.`;
      references.push(reference);
    }
    if (references.length === 0) return 'match.refs names no place that refers to something.';
    return new ReferenceRule(set, references, asText(match['verb']) || 'refers to');
  }

  *find(scene: ComponentIndex): Generator<RuleMatch | undefined> {
    for (const from of scene.select(this.set.from)) {
      for (const reference of this.references) {
        for (const place of from.valuesAt(reference.at)) {
          for (const name of findValuesAt(place, reference.name))
            yield* this.follow(scene, from, reference, place, name);
        }
      }
    }
  }

  private *pause(): Generator<undefined> {
    this.steps += 1;
    if (this.steps % PAUSE_STEPS === 0) yield undefined;
  }

  private *follow(
    scene: ComponentIndex,
    from: IndexedComponent,
    reference: ReferencePath,
    at: LocatedValue,
    name: LocatedValue,
  ): Generator<RuleMatch | undefined> {
    yield* this.pause();
    const target = resolveTarget(scene, from, reference, at, name);
    if (target === undefined) return;
    const isClaim = reference.format === 'claimTemplate';
    const candidates = isClaim ? scene.select(this.set.to) : scene.findByName(target.namespace, target.name);
    const named: IndexedComponent[] = [];
    for (const candidate of candidates) {
      yield* this.pause();
      if (isNamed(candidate, target) && (!isClaim || isClaimOf(candidate, from, target))) named.push(candidate);
    }
    // What is in the very namespace is meant before what may be in it.
    const exact = new Set(named.filter(({ namespace }) => namespace === target.namespace).map(({ kind }) => kind));
    for (const to of named) {
      yield* this.pause();
      if (to.namespace !== target.namespace && exact.has(to.kind)) continue;
      const clauses = isAllowedPair(this.set, from, to) ? findClauses(this.set, from, to) : undefined;
      if (clauses === undefined) continue;
      const place = (): ReturnType<RuleMatch['describe']> => ({
        from: name.pointer,
        to: to.name === '' ? '/component/kind' : '/configuration/metadata/name',
        detail: describeReference(name),
      });
      yield { from: [from], to: [to], clauses, verb: this.verb, describe: place };
    }
  }
}

function isNamed({ kind, group }: IndexedComponent, target: ReferenceTarget): boolean {
  return (target.kind ?? kind) === kind && (target.group ?? group) === group;
}

/** Whether a claim is one that a StatefulSet makes from a template: `<template>-<set>-<ordinal>`. */
function isClaimOf(claim: IndexedComponent, from: IndexedComponent, { namespace, name }: ReferenceTarget): boolean {
  const prefix = `${name}-${from.name}-`;
  if (!claim.name.startsWith(prefix) || !/^\d+$/.test(claim.name.slice(prefix.length))) return false;
  return namespace === '' || claim.namespace === '' || claim.namespace === namespace;
}

function resolveTarget(
  scene: ComponentIndex,
  from: IndexedComponent,
  reference: ReferencePath,
  at: LocatedValue,
  { value }: LocatedValue,
): ReferenceTarget | undefined {
  const { defaults, format } = reference;
  const read = (path: ComponentPath | undefined): string | undefined => {
    const [found] = path === undefined ? [] : findValuesAt(at, path);
    return typeof found?.value === 'string' ? found.value : undefined;
  };
  const name = typeof value === 'string' ? parseName(value, format) : undefined;
  if (name === undefined) return undefined;
  const apiVersion = read(reference.apiVersion);
  const group = apiVersion === undefined ? read(reference.group) : apiGroupOf(apiVersion);
  const given = name.namespace ?? (read(reference.namespace) || asText(defaults['namespace']));
  return {
    name: name.name,
    namespace: given || from.namespace || scene.namespace,
    kind: read(reference.kind) ?? optionalText(defaults['kind']),
    group: group ?? optionalText(defaults['group']),
  };
}

/** A name as its format writes it; a wildcard or a host outside the cluster is not one. */
function parseName(text: string, format: string): { name: string; namespace?: string } | undefined {
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

function parseReference(entry: Json): ReferencePath | undefined {
  const plain = { namespace: undefined, kind: undefined, group: undefined, apiVersion: undefined };
  if (!isObject(entry)) {
    const at = parsePath(entry);
    return at && { ...plain, at, name: [], defaults: {}, format: 'name' };
  }
  const step = (member: string): ComponentPath | undefined =>
    typeof entry[member] === 'string' ? parseSteps(entry[member]) : undefined;
  const at = entry['at'] === undefined ? ['configuration'] : parsePath(entry['at']);
  const format = entry['format'] === undefined ? 'name' : asText(entry['format']);
  const name = entry['name'] === undefined ? [] : step('name');
  if (at === undefined || name === undefined || !NAME_FORMATS.has(format)) return undefined;
  const [namespace, kind, group, apiVersion] = ['namespace', 'kind', 'group', 'apiVersion'].map(step);
  return { at, name, namespace, kind, group, apiVersion, defaults: asObject(entry['default']), format };
}

function describeReference({ value, pointer }: LocatedValue): string {
  const text = asText(value);
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return pointer === '/configuration/metadata'
    ? `a namespace is left out, which means ${shown}`
    : `${formatPointer(pointer)} is ${shown}`;
}

function apiGroupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

function optionalText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
