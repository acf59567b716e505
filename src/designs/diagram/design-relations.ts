import { type DesignFile } from '../../formats/design-file/design-file.js';
import { isObject, type Json, asObject, asText } from '../../core/json/json.js';
import { isActive } from '../../registry/relationships/evaluation/reconciliation.js';
import { relationshipKeyOf } from '../../registry/relationships/evaluation/relationship.js';
import { toDisplayText } from './display-text.js';

/** One relation between two components of a design, by their index. */
export interface Relation {
  from: number;
  to: number;
  label: string;
  /** `from` is a part of `to`. */
  isParent: boolean;
}

export interface DesignRelations {
  relations: Relation[];
  /** Relationships that only state a common value; drawn, they would connect everything with everything. */
  siblings: number;
  /** Whether there are more than the limit. */
  isTruncated: boolean;
}

/** The maximum number of pairs of components. */
const MAX_RELATIONS = 20_000;
const MAX_LABEL_LENGTH = 24;

/** The active relationships of a design, and the dependencies of its Compose services. */
export function readRelations(design: DesignFile): DesignRelations {
  const found: DesignRelations = { relations: [], siblings: 0, isTruncated: false };
  const indexes = new Map(design.components.map(({ id }, index) => [id, index]));
  const indexesOf = (ids: readonly string[]): number[] => ids.flatMap((id) => indexes.get(id) ?? []);
  for (const relationship of design.relationships) {
    if (!isObject(relationship) || !isActive(relationship)) continue;
    const { kind, type, subType, from, to } = relationshipKeyOf(relationship);
    const ends: [number[], number[]] = [indexesOf(from), indexesOf(to)];
    if (type === 'sibling') found.siblings += 1;
    else addRelations(found, ends, toDisplayText(subType || type || kind, MAX_LABEL_LENGTH), type === 'parent');
  }
  addDependencies(design, found);
  return found;
}

function addRelations(into: DesignRelations, [from, to]: [number[], number[]], label: string, isParent: boolean): void {
  for (const one of from) {
    for (const other of to) {
      if (into.relations.length === MAX_RELATIONS) {
        into.isTruncated = true;
        return;
      }
      into.relations.push({ from: one, to: other, label, isParent });
    }
  }
}

function addDependencies({ components }: DesignFile, found: DesignRelations): void {
  const services = components.map(({ metadata }) => asObject(metadata['compose']));
  const workloads = new Map<string, number>();
  for (const [index, { service, definition }] of services.entries()) {
    if (isObject(definition) && asText(service) !== '') workloads.set(asText(service), index);
  }
  for (const index of workloads.values()) {
    const names = readServiceNames(asObject(services[index]?.['definition'])['depends_on']);
    const others = names.flatMap((name) => workloads.get(name) ?? []);
    addRelations(found, [[index], others], 'depends on', false);
  }
}

function readServiceNames(dependencies: Json | undefined): string[] {
  return Array.isArray(dependencies) ? dependencies.map(asText) : Object.keys(asObject(dependencies));
}
