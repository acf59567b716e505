import { type Diagram, type DiagramNode, groupItemsBy } from './diagram.js';
import { formatCount } from './build-diagram.js';
import { mergeEdges } from './merge-edges.js';

/** The maximum number of nodes and edges of a summary. */
const MAX_SUMMARY = { nodes: 300, edges: 500 };

/** The summary of a design that is too large: a node for each kind in each group, with its count. */
export function summarizeDiagram(diagram: Diagram): Diagram {
  const summary = summarizeByKind(diagram);
  if (summary.nodes.length <= MAX_SUMMARY.nodes) return summary;
  return summarizeByKind({ ...diagram, groups: [], nodes: foldRareKinds(diagram.nodes) });
}

function summarizeByKind({ title, notes, groups, nodes, edges }: Diagram): Diagram {
  const members = [
    ...groupItemsBy(nodes, ({ group, kind, mark }) => JSON.stringify([group, kind, mark?.text])).values(),
  ];
  const positions = new Map(members.flatMap((nodes, position) => nodes.map((node) => [node, position] as const)));
  const at = (index: number): number => positions.get(nodes[index] as DiagramNode) ?? 0;
  const between = mergeEdges(edges.map((edge) => ({ ...edge, from: at(edge.from), to: at(edge.to) })));
  const isDense = between.length > MAX_SUMMARY.edges;
  const place = groups[0] ? ` of each ${groups[0].kind.toLowerCase()}` : '';
  return {
    title: `${title} (summary)`,
    notes: [
      ...notes,
      `too large to show each component: a box represents all of one kind${place}`,
      ...(isDense ? ['relationships not drawn'] : []),
    ],
    groups,
    nodes: members.map(toSummaryNode),
    edges: isDense ? [] : between,
  };
}

function toSummaryNode(members: DiagramNode[]): DiagramNode {
  const [first] = members as [DiagramNode];
  if (members.length === 1) return first;
  const isAnnotation = members.every((each) => each.isAnnotation);
  return {
    ...first,
    name: formatCount(members.length, 'component'),
    isAnnotation,
    members: members.flatMap((each) => each.members),
  };
}

/** The nodes without groups; of too many kinds the rarest are merged. */
function foldRareKinds(nodes: readonly DiagramNode[]): DiagramNode[] {
  const byKind = [...groupItemsBy(nodes, ({ kind }) => kind)].sort(([, one], [, other]) => other.length - one.length);
  const kept = new Set(byKind.slice(0, MAX_SUMMARY.nodes - 1).map(([kind]) => kind));
  return nodes.map((node) => {
    const folded = { ...node, group: undefined };
    return kept.has(node.kind) ? folded : { ...folded, kind: 'Other kinds', category: 'other' };
  });
}
