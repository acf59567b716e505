import { type DesignComponent, type DesignFile } from '../../formats/design-file.js';
import { groupsOf } from './design-groups.js';
import { type Relation, relationsOf } from './design-relations.js';
import { type Diagram, type DiagramNode } from './diagram.js';
import { displayText } from './display-text.js';
import { merged } from './edges.js';
import { sortOf } from './kind-sorts.js';

/** A design as nodes, frames and edges. A Namespace is the frame around what is in it, and a node as well when it has other relationships. */
export function diagramOf(design: DesignFile, title: string): Diagram {
  const { relations, siblings, isTruncated } = relationsOf(design);
  const { groups, groupOf, namespaces, frames } = groupsOf(design, relations);
  const isNested = ({ from, to, isParent }: Relation): boolean =>
    isParent && namespaces.has(to) && groupOf.has(to) && groupOf.get(from) === groupOf.get(to);
  const drawn = relations.filter((relation) => !isNested(relation));
  const held = new Set(drawn.flatMap(({ from, to }) => [from, to]));
  const shown = design.components.map((_component, index) => index).filter((index) => held.has(index) || !frames.has(index)); // prettier-ignore
  const positions = new Map(shown.map((index, position) => [index, position]));
  const at = (index: number): number => positions.get(index) ?? 0;
  return {
    title: displayText(title),
    notes: [
      ...(design.components.length === 0 ? ['This design is empty.'] : []),
      `${counted(design.components.length, 'component')}, ${counted(relations.length, 'relationship')}`,
      ...(siblings > 0 ? [`${counted(siblings, 'relationship')} between siblings not drawn`] : []),
      ...(isTruncated ? ['further relationships not drawn'] : []),
    ],
    groups,
    nodes: shown.map((index) => nodeOf(design.components[index] as DesignComponent, groupOf.get(index))),
    edges: merged(
      drawn.map(({ from, to, label, isParent }) => ({ from: at(from), to: at(to), labels: [label], isParent })),
    ),
  };
}

function nodeOf({ component, displayName, metadata }: DesignComponent, group: number | undefined): DiagramNode {
  const kind = displayText(component.kind) || 'Component';
  const name = displayText(displayName) || 'unnamed';
  return { kind, name, sort: sortOf(kind), group, isAnnotation: metadata['isAnnotation'] === true };
}

/** `1 component`, `1,200 components`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
