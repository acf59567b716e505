import { type KindCategory } from './kind-categories.js';

/** What a picture of a design shows. All text is display text: one line of visible characters. */
export interface Diagram {
  title: string;
  /** What stands below the title: how much there is, and what is not drawn. */
  notes: string[];
  groups: DiagramGroup[];
  nodes: DiagramNode[];
  edges: DiagramEdge[];
}

/** A frame around nodes. */
export interface DiagramGroup {
  /** What it is: `Namespace`, `Service`. */
  kind: string;
  name: string;
  /** Id of the component that the frame stands for. */
  component?: string;
  /** How many equal frames it stands for. */
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
  /** How many equal nodes it stands for. */
  count?: number;
  /** The components that it stands for; there is at least one. */
  members: DiagramMember[];
  /** Its links with hubs, which no line shows. */
  badges: DiagramBadge[];
  /** What is said of it in place of its category: how it is, where it is deployed. */
  mark?: DiagramMark;
  /** Whether the picture is drawn around it. */
  isFocus?: true;
}

/** How a component is, by a word and a colour. */
export interface DiagramMark {
  text: string;
  title: string;
  /** Whose colour it has. */
  colour: KindCategory;
}

/** The marks of components, by their ids. */
export type DiagramMarks = Readonly<Record<string, DiagramMark>>;

export interface DiagramMember {
  id: string;
  name: string;
}

/** A mark on a node that says what a line would say. */
export interface DiagramBadge {
  text: string;
  title: string;
}

/** All relationships from one node to another, by index. */
export interface DiagramEdge {
  from: number;
  to: number;
  labels: string[];
  /** Whether all of them say that one is a part of the other. */
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

/** Items by what they have in common, in the order in which they come. */
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
