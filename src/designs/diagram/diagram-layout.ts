import { combineBlocks, type Block } from './block.js';
import { type Diagram, type DiagramEdge, type DiagramGroup, type DiagramNode } from './diagram.js';
import { type Graphviz } from './graphviz.js';
import { partitionDiagram, type ConnectedNodes } from './diagram-partition.js';
import { KIND_CATEGORIES } from './kind-categories.js';
import { packBlocks } from './packing.js';
import { layoutCard, layoutHeading, layoutLabel } from './text-layout.js';

const GAP = { cards: 14, blocks: 22 };
const FRAME_PADDING = 14;

/** Nodes that are always drawn in the frame of their group, whatever their links. */
type GroupBlocks = ReadonlyMap<number, Block>;

/**
 * Computes the positions. Graphviz arranges connected nodes; such islands, and unconnected nodes, are then packed side by side:
 * in their frame when the whole island is in it, otherwise on the page, together with the frames that the island touches.
 */
export class DiagramLayout {
  private readonly edges: readonly (DiagramEdge & { index: number })[];

  /** Without Graphviz no edge is drawn. */
  constructor(
    private readonly diagram: Diagram,
    private readonly graphviz: Graphviz | null,
  ) {
    this.edges = graphviz ? diagram.edges.map((edge, index) => ({ ...edge, index })) : [];
  }

  /** The whole picture, without title and legend. */
  build(): Block {
    const { withinGroups: inward, acrossGroups: outward } = partitionDiagram(this.diagram, this.edges);
    const insides = new Map(
      [...inward].map(([group, islands]) => [group, this.packConnected(islands, GAP.cards, null)]),
    );
    const reached = new Set(outward.flat().map((node) => this.node(node).group));
    const alone = [...insides].filter(([group]) => !reached.has(group));
    return this.packConnected(
      outward,
      GAP.blocks,
      insides,
      alone.map(([group, inside]) => this.frame(group, inside)),
    );
  }

  /** Packs islands and other blocks: large ones first, then single cards by kind. */
  private packConnected(
    islands: readonly ConnectedNodes[],
    gap: number,
    insides: GroupBlocks | null,
    others: Block[] = [],
  ): Block {
    const isCard = (island: ConnectedNodes): boolean =>
      island.length === 1 && (insides === null || this.node(island[0]).group === undefined);
    const large = islands.filter((island) => !isCard(island)).map((island) => this.arrange(island, insides));
    const cards = islands.filter(isCard).map(([first = 0]) => first);
    const order = cards.sort((one, other) => compareNodes(this.node(one), this.node(other)));
    const bySize = [...large, ...others].sort((one, other) => other.height - one.height || other.width - one.width);
    return packBlocks([...bySize, ...order.map((node) => this.card(node))], gap);
  }

  /** An island as arranged by Graphviz, inside its frames. */
  private arrange(island: ConnectedNodes, insides: GroupBlocks | null): Block {
    const groups = insides ? [...new Set(island.flatMap((node) => this.node(node).group ?? []))] : [];
    const clusterOf = (group: number | undefined): number | undefined =>
      group !== undefined && groups.includes(group) ? groups.indexOf(group) : undefined;
    const parts = island.map((node) => ({ block: this.card(node), cluster: clusterOf(this.node(node).group) }));
    for (const [cluster, group] of groups.entries()) {
      const block = insides?.get(group);
      if (block) parts.push({ block, cluster });
    }
    const positions = new Map(island.map((node, position) => [node, position]));
    const edges = this.edges.filter(({ from, to }) => positions.has(from) && positions.has(to));
    const arrangement = this.graphviz?.arrange({
      boxes: parts.map(({ block: { width, height }, cluster }) => ({ width, height, cluster })),
      clusters: groups.map((group) => layoutHeading(this.diagram.groups[group] as DiagramGroup)),
      links: edges.map((edge) => ({
        from: positions.get(edge.from) ?? 0,
        to: positions.get(edge.to) ?? 0,
        label: layoutLabel(edge),
      })),
    });
    if (!arrangement)
      return packBlocks(
        parts.map(({ block }) => block),
        GAP.cards,
      );
    const { boxes, clusters, links } = arrangement;
    const whole = combineBlocks(
      arrangement,
      parts.map(({ block }, part) => ({ block, at: boxes[part] ?? [0, 0] })),
    );
    whole.frames.unshift(...clusters.map((frame, cluster) => ({ ...frame, group: groups[cluster] ?? 0 })));
    whole.lines.push(...links.map((line, link) => ({ line, edge: edges[link]?.index ?? 0 })));
    return whole;
  }

  private frame(group: number, inside: Block): Block {
    const heading = layoutHeading(this.diagram.groups[group] as DiagramGroup);
    const width = Math.max(inside.width + 2 * FRAME_PADDING, heading.width + FRAME_PADDING);
    const height = inside.height + heading.height + 2 * FRAME_PADDING;
    const whole = combineBlocks({ width, height }, [
      { block: inside, at: [FRAME_PADDING, heading.height + FRAME_PADDING] },
    ]);
    return { ...whole, frames: [{ group, at: [0, 0], size: { width, height } }, ...whole.frames] };
  }

  private card(node: number): Block {
    const { width, height } = layoutCard(this.node(node));
    return { width, height, nodes: [{ node, at: [0, 0] }], frames: [], lines: [] };
  }

  private node(index = 0): DiagramNode {
    return this.diagram.nodes[index] as DiagramNode;
  }
}

function compareNodes(one: DiagramNode, other: DiagramNode): number {
  return (
    KIND_CATEGORIES.indexOf(one.category) - KIND_CATEGORIES.indexOf(other.category) ||
    one.kind.localeCompare(other.kind, 'en') ||
    one.name.localeCompare(other.name, 'en')
  );
}
