import { type DesignComponent, type DesignFile } from '../../formats/design-file/design-file.js';
import { groupComponents } from './design-groups.js';
import { type Relation, readRelations } from './design-relations.js';
import { type Diagram, type DiagramMarks, type DiagramNode } from './diagram.js';
import { toDisplayText } from './display-text.js';
import { mergeEdges } from './merge-edges.js';
import { kindCategoryOf } from './kind-categories.js';

/**
 * Converts a design to nodes, frames and edges. A Namespace is the frame around its components, and also a node when it has other
 * relationships.
 */
export function buildDiagram(design: DesignFile, title: string, marks?: DiagramMarks): Diagram {
  const { relations, siblings, isTruncated } = readRelations(design);
  const { groups, groupOf, namespaces, frames } = groupComponents(design, relations);
  const isNested = ({ from, to, isParent }: Relation): boolean =>
    isParent && namespaces.has(to) && groupOf.has(to) && groupOf.get(from) === groupOf.get(to);
  const drawn = relations.filter((relation) => !isNested(relation));
  const held = new Set(drawn.flatMap(({ from, to }) => [from, to]));
  const shown = design.components
    .map((_component, index) => index)
    .filter((index) => held.has(index) || !frames.has(index));
  const positions = new Map(shown.map((index, position) => [index, position]));
  const at = (index: number): number => positions.get(index) ?? 0;
  return {
    title: toDisplayText(title),
    notes: [
      ...(design.components.length === 0 ? ['This design is empty.'] : []),
      `${formatCount(design.components.length, 'component')}, ${formatCount(relations.length, 'relationship')}`,
      ...(siblings > 0 ? [`${formatCount(siblings, 'relationship')} between siblings not drawn`] : []),
      ...(isTruncated ? ['further relationships not drawn'] : []),
    ],
    groups,
    nodes: shown.map((index) => toNode(design.components[index] as DesignComponent, groupOf.get(index), marks)),
    edges: mergeEdges(
      drawn.map(({ from, to, label, isParent }) => ({ from: at(from), to: at(to), labels: [label], isParent })),
    ),
  };
}

/** When some components have a status, the others are neutral. */
function toNode(
  { id, component, displayName, metadata }: DesignComponent,
  group: number | undefined,
  marks: DiagramMarks | undefined,
): DiagramNode {
  const kind = toDisplayText(component.kind) || 'Component';
  const name = toDisplayText(displayName) || 'unnamed';
  const isAnnotation = metadata['isAnnotation'] === true;
  const mark = marks && Object.hasOwn(marks, id) ? marks[id] : undefined;
  return {
    ...{ kind, name, group, isAnnotation, members: [{ id, name }] },
    category: marks && !mark ? 'other' : kindCategoryOf(kind),
    badges: mark ? [{ text: mark.text, title: mark.title }] : [],
    ...(mark && { mark }),
  };
}

/** `1 component`, `1,200 components`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
