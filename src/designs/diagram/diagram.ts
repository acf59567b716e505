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
}

export interface DiagramNode {
  kind: string;
  name: string;
  category: KindCategory;
  /** Index of its group. */
  group?: number;
  /** A note or a shape, which is never deployed. */
  isAnnotation: boolean;
}

/** All relationships from one node to another, by index. */
export interface DiagramEdge {
  from: number;
  to: number;
  labels: string[];
  /** Whether all of them say that one is a part of the other. */
  isParent: boolean;
}
