import { type DiagramEdge } from './diagram.js';

/** The maximum number of labels of one edge; the rest is an ellipsis. */
const MAX_LABELS = 3;

/** Merges all edges from one node to another; labels keep their order. */
export function mergeEdges(edges: Iterable<DiagramEdge>): DiagramEdge[] {
  const between = new Map<string, DiagramEdge>();
  for (const { from, to, labels, isParent } of edges) {
    const key = `${from}>${to}`;
    const edge = between.get(key) ?? { from, to, labels: [], isParent: true };
    edge.isParent &&= isParent;
    for (const label of labels) addLabel(edge.labels, label);
    between.set(key, edge);
  }
  return [...between.values()];
}

function addLabel(labels: string[], label: string): void {
  if (label === '' || labels.includes(label) || labels.length > MAX_LABELS) return;
  labels.push(labels.length === MAX_LABELS ? '…' : label);
}
