import { type DesignFile } from '../../formats/design-file.js';
import { isObject, type Json, objectOf, textOf } from '../../formats/located.js';
import { counts } from '../../registry/relationships/evaluation/reconciliation.js';
import { keyOfRelationship } from '../../registry/relationships/evaluation/relationship.js';
import { displayText } from './display-text.js';

/** One thing that a design says about two of its components, by their index. */
export interface Relation {
  from: number;
  to: number;
  label: string;
  /** `from` is a part of `to`. */
  isParent: boolean;
}

export interface DesignRelations {
  relations: Relation[];
  /** Relationships that only say that components have something in common; drawn, they would join everything with everything. */
  siblings: number;
  /** Whether there are more than are looked at. */
  isTruncated: boolean;
}

/** Pairs of components that are looked at. */
const MOST = 20_000;
const LONGEST_LABEL = 24;

/** The relationships of a design that are in force, and what the services of a Compose file wait for. */
export function relationsOf(design: DesignFile): DesignRelations {
  const found: DesignRelations = { relations: [], siblings: 0, isTruncated: false };
  const indexes = new Map(design.components.map(({ id }, index) => [id, index]));
  const indexesOf = (ids: readonly string[]): number[] => ids.flatMap((id) => indexes.get(id) ?? []);
  for (const relationship of design.relationships) {
    if (!isObject(relationship) || !counts(relationship)) continue;
    const { kind, type, subType, from, to } = keyOfRelationship(relationship);
    const ends: [number[], number[]] = [indexesOf(from), indexesOf(to)];
    if (type === 'sibling') found.siblings += 1;
    else add(found, ends, displayText(subType || type || kind, LONGEST_LABEL), type === 'parent');
  }
  addDependencies(design, found);
  return found;
}

function add(into: DesignRelations, [from, to]: [number[], number[]], label: string, isParent: boolean): void {
  for (const one of from) {
    for (const other of to) {
      if (into.relations.length === MOST) {
        into.isTruncated = true;
        return;
      }
      into.relations.push({ from: one, to: other, label, isParent });
    }
  }
}

function addDependencies({ components }: DesignFile, found: DesignRelations): void {
  const services = components.map(({ metadata }) => objectOf(metadata['compose']));
  const workloads = new Map<string, number>();
  for (const [index, { service, definition }] of services.entries()) {
    if (isObject(definition) && textOf(service) !== '') workloads.set(textOf(service), index);
  }
  for (const index of workloads.values()) {
    const names = namesIn(objectOf(services[index]?.['definition'])['depends_on']);
    const others = names.flatMap((name) => workloads.get(name) ?? []);
    add(found, [[index], others], 'depends on', false);
  }
}

function namesIn(dependencies: Json | undefined): string[] {
  return Array.isArray(dependencies) ? dependencies.map(textOf) : Object.keys(objectOf(dependencies));
}
