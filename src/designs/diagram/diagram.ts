import { type KindCategory } from './kind-categories.js';

/** The content of the diagram of a design. All text is display text: one line of visible characters. */
export interface Diagram {
  title: string;
  /** The lines below the title: totals, and what is not drawn. */
  notes: string[];
  groups: DiagramGroup[];
  nodes: DiagramNode[];
  edges: DiagramEdge[];
}

/** A frame around nodes. */
export interface DiagramGroup {
  /** Its type: `Namespace`, `Service`. */
  kind: string;
  name: string;
  /** Id of the component that the frame represents. */
  component?: string;
  /** How many equal frames it represents. */
  count?: number;
}

export interface DiagramNode {
  kind: string;
  name: string;
  category: KindCategory;
  /** Index of its group. */
  group?: number;
  /** A note or a shape, which is never deployed. */
  isAnnotation: boolean;
  /** How many equal nodes it represents. */
  count?: number;
  /** The components that it represents; there is at least one. */
  members: DiagramMember[];
  /** Its links with hubs, which are not drawn as lines. */
  badges: DiagramBadge[];
  /** Text shown instead of its category: its status, and where it is deployed. */
  mark?: DiagramMark;
  /** Whether it is the focus of the diagram. */
  isFocus?: true;
}

/** The status of a component, as a word and a color. */
export interface DiagramMark {
  text: string;
  title: string;
  /** The category that determines its color. */
  colour: KindCategory;
}

/** The statuses of components, by their ids. */
export type DiagramMarks = Readonly<Record<string, DiagramMark>>;

export interface DiagramMember {
  id: string;
  name: string;
}

/** A badge on a node instead of a line. */
export interface DiagramBadge {
  text: string;
  title: string;
}

/** All relationships from one node to another, by index. */
export interface DiagramEdge {
  from: number;
  to: number;
  labels: string[];
  /** Whether all of them are parent relationships. */
  isParent: boolean;
}

/** The diagram of some of its nodes and of the edges between them. */
export function pickNodes(diagram: Diagram, isPicked: (node: DiagramNode, index: number) => boolean): Diagram {
  const picked = diagram.nodes.flatMap((node, index) => (isPicked(node, index) ? [index] : []));
  const positions = new Map(picked.map((index, position) => [index, position]));
  return {
    ...diagram,
    nodes: picked.map((index) => diagram.nodes[index] as DiagramNode),
    edges: diagram.edges.flatMap((edge) => {
      const [from, to] = [positions.get(edge.from), positions.get(edge.to)];
      return from === undefined || to === undefined ? [] : [{ ...edge, from, to }];
    }),
  };
}

/** Groups items by key, in the order in which they come. */
export function groupItemsBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const same = groups.get(key);
    if (same) same.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
