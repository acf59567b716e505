import { truncate } from '../../../core/errors/app-error.js';
import { showLargeIntegers } from '../../../core/json/large-integers.js';
import { isObject, type Json, type JsonObject, asText } from '../../../core/json/json.js';
import { parsePointer } from '../../../core/json/json-pointer.js';
import type { DesignComponent, DesignFile } from '../../../formats/design-file/design-file.js';
import { resourceIdentity, toResource } from '../../../formats/design-file/design-component.js';
import { isSecret, isSecretMetadata, maskValues } from '../../../formats/design-file/secret-values.js';
import { defineTask, type Task } from '../../../core/workers/task.js';
import { parseDesignFile, type PackedContent } from '../../contents/packed-content.js';
import { relationshipKeyOf } from '../../../registry/relationships/evaluation/relationship.js';
import { type ValueChange, findValueChanges } from './value-changes.js';

/** A component in a diff. */
export interface ComponentName {
  id: string;
  name: string;
  kind: string;
  api_version: string;
  namespace: string;
}

export interface ChangedComponent extends ComponentName {
  /** Pointers lead into the component: `/configuration/spec/replicas`. Secret values are hidden. */
  changes: ValueChange[];
}

/** A relationship in a diff. */
export interface RelationshipName {
  kind: string;
  type: string;
  sub_type: string;
  /** Names of the components that it connects. */
  between: string[];
}

/** The semantic differences between two contents of a design. */
export interface DesignDiff {
  /** Whether there are no differences. */
  equal: boolean;
  added: ComponentName[];
  removed: ComponentName[];
  changed: ChangedComponent[];
  relationships: { added: RelationshipName[]; removed: RelationshipName[] };
  /** Changes of the design itself; pointers are relative to the design file. */
  changes: ValueChange[];
  counts: { added: number; removed: number; changed: number; unchanged: number };
}

/** Maximum length of a pointer, which contains names of the design. */
const MAX_POINTER_LENGTH = 500;
/** Members of a component that identify it, or that the registry fills in. */
const IDENTITY_MEMBERS = ['id', 'model'];
/** Members of a design that are compared separately, or that differ in every version. */
const VERSION_MEMBERS = ['id', 'version', 'components', 'relationships'];

/** What differs between two designs. */
export const diffTask: Task<DiffInput, DesignDiff> = defineTask(import.meta.url, { diffInWorker });

interface DiffInput {
  from: PackedContent;
  to: PackedContent;
}

/** Task of the worker pool. */
export function diffInWorker({ from, to }: DiffInput): DesignDiff {
  return diffDesigns(parseDesignFile(from), parseDesignFile(to));
}

/** Matches components by the resource that they represent, or else by id. */
export function diffDesigns(from: DesignFile, to: DesignFile): DesignDiff {
  const pairs = pairComponents(from.components, to.components);
  const kept = new Set(pairs.flat());
  const removed = from.components.filter((component) => !kept.has(component)).map(toComponentName);
  const added = to.components.filter((component) => !kept.has(component)).map(toComponentName);
  const changed = pairs.flatMap(([old, next]) => {
    const found = findValueChanges(omitMembers(old, IDENTITY_MEMBERS), omitMembers(next, IDENTITY_MEMBERS));
    const changes = Array.from(found, (change) => redactSecrets(change, [old.component.kind, next.component.kind]));
    return changes.length > 0 ? [{ ...toComponentName(next), changes }] : [];
  });
  const own = findValueChanges(omitMembers(from, VERSION_MEMBERS), omitMembers(to, VERSION_MEMBERS));
  const changes = Array.from(own, (change) => redactSecrets(change, ['', '']));
  const relationships = relationshipChanges(from, to, pairs);
  const counts = {
    added: added.length,
    removed: removed.length,
    changed: changed.length,
    unchanged: pairs.length - changed.length,
  };
  const differences = [added, removed, changed, changes, relationships.added, relationships.removed];
  return {
    equal: differences.every(({ length }) => length === 0),
    added,
    removed,
    changed,
    relationships,
    changes,
    counts,
  };
}

/** Hides secret values in a change, so that it shows only that they changed. Each side is checked by the kind that it has, or had. */
function redactSecrets({ pointer, change, from, to }: ValueChange, [was, is]: readonly [string, string]): ValueChange {
  const [member = '', ...path] = parsePointer(pointer);
  const show = (kind: string, value: Json | undefined): Json | undefined => {
    if (value === undefined) return undefined;
    const isHidden = (at: string[], one: unknown): boolean => {
      if (at[0] === 'metadata') return isSecretMetadata(at.slice(1));
      return at[0] === 'configuration' && isSecret(kind, at.slice(1), one);
    };
    return showLargeIntegers(maskValues(isHidden, [member, ...path], value) as Json);
  };
  return { pointer: truncate(pointer, MAX_POINTER_LENGTH), change, from: show(was, from), to: show(is, to) };
}

type ComponentPair = [DesignComponent, DesignComponent];

function pairComponents(from: readonly DesignComponent[], to: readonly DesignComponent[]): ComponentPair[] {
  const pairs: ComponentPair[] = [];
  let [older, newer] = [[...from], [...to]];
  for (const keyOf of [
    (each: DesignComponent) => resourceIdentity(toResource(each)),
    (each: DesignComponent) => each.id,
  ]) {
    const waiting = new Map<string, DesignComponent[]>();
    for (const component of older) waiting.set(keyOf(component), [...(waiting.get(keyOf(component)) ?? []), component]);
    const taken = new Set<DesignComponent>();
    newer = newer.filter((component) => {
      const old = waiting.get(keyOf(component))?.shift();
      if (!old) return true;
      pairs.push([old, component]);
      taken.add(old);
      return false;
    });
    older = older.filter((component) => !taken.has(component));
  }
  return pairs;
}

/** Matches relationships by kind and by the components that they connect; their details follow from those. */
function relationshipChanges(
  from: DesignFile,
  to: DesignFile,
  pairs: readonly ComponentPair[],
): DesignDiff['relationships'] {
  const idNow = new Map(pairs.map(([old, next]) => [old.id, next.id]));
  const before = indexRelationships(from, (id) => idNow.get(id) ?? id);
  const after = indexRelationships(to, (id) => id);
  const missingIn = (others: ReadonlyMap<string, RelationshipName>, all: ReadonlyMap<string, RelationshipName>) =>
    [...all].filter(([key]) => !others.has(key)).map(([, name]) => name);
  return { added: missingIn(before, after), removed: missingIn(after, before) };
}

function indexRelationships(design: DesignFile, idOf: (id: string) => string): Map<string, RelationshipName> {
  const names = new Map(design.components.map(({ id, displayName }) => [id, displayName]));
  return new Map(
    design.relationships.map((relationship) => {
      const { kind, type, subType, from, to } = relationshipKeyOf(relationship);
      const between = [...from, ...to].map((id) => names.get(id) ?? id);
      const key = JSON.stringify([kind, type, subType, from.map(idOf), to.map(idOf)]);
      return [key, { kind, type, sub_type: subType, between }];
    }),
  );
}

function toComponentName({ id, displayName, component, configuration }: DesignComponent): ComponentName {
  const metadata = isObject(configuration['metadata']) ? configuration['metadata'] : {};
  const { kind, version } = component;
  return { id, name: displayName, kind, api_version: version, namespace: asText(metadata['namespace']) };
}

function omitMembers(record: object, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record as JsonObject).filter(([name]) => !names.includes(name)));
}
