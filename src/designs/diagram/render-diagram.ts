import { type DesignFile } from '../../formats/design-file/design-file.js';
import { defineTask, type Task } from '../../core/workers/task.js';
import { parseDesignFile, type PackedContent } from '../contents/packed-content.js';
import { type Block, type Size } from './block.js';
import { type Diagram, type DiagramMarks } from './diagram.js';
import { buildDiagram } from './build-diagram.js';
import { foldEquals } from './fold-equals.js';
import { Graphviz, totalRankSpan } from './graphviz.js';
import { badgeHubs } from './hubs.js';
import { DiagramLayout } from './diagram-layout.js';
import { type DiagramPart, narrowDiagram } from './narrow-diagram.js';
import { type Theme } from './palette.js';
import { summarizeDiagram } from './summary.js';
import { renderSvg } from './svg.js';

/** The options of a diagram. */
export interface DiagramOptions extends DiagramPart {
  theme: Theme;
}

export interface RenderInput extends DiagramOptions {
  design: DesignFile;
  title: string;
  /** The statuses of its components; without them the colors show categories. */
  marks?: DiagramMarks;
  /** Draws the summary, regardless of the size. */
  onlySummary: boolean;
}

/** The number of cards above which unconnected ones are folded too, and above which the summary is drawn. */
const MAX_CARDS = { unfolded: 250, drawn: 1000 };
/** The maximum number of lines on one side of a card, for successive tries. */
const FANS = [8, 5, 3];
/** The total ranks of lines up to which a diagram is drawn while it can be made sparser. */
const MAX_RANK_SPAN = 500;
/** Shapes that fit on a screen, width by height, and a length in pixels that is readable in any shape. */
const SHAPE = { narrowest: 0.5, widest: 3.5, small: 1800 };
/** The size in pixels above which a diagram is unreadable, and the summary is used. */
const MAX_AREA = 40e6;

/** As `renderDiagram`, for a stored design. */
export const diagramTask: Task<PackedRenderInput, string> = defineTask(import.meta.url, { renderInWorker });

interface PackedRenderInput extends Omit<RenderInput, 'design'> {
  content: PackedContent;
}

/** Task of the worker pool. */
export function renderInWorker({ content, ...input }: PackedRenderInput): Promise<string> {
  return renderDiagram({ design: parseDesignFile(content), ...input });
}

/**
 * Renders a design as an SVG document, as dense as is readable: equal cards are folded, and hubs get badges where their lines would
 * make the diagram too long or too dense. Renders the summary when there are still too many cards, or when Graphviz fails.
 * @throws InvalidRequest when the focus matches nothing
 */
export async function renderDiagram({
  design,
  title,
  marks,
  onlySummary,
  theme,
  ...part
}: RenderInput): Promise<string> {
  const diagram = narrowDiagram(buildDiagram(design, title, marks), part);
  if (!onlySummary) {
    const drawn = await drawCards(foldByDensity(diagram));
    if (drawn) return renderSvg(drawn.diagram, drawn.block, theme);
  }
  const summary = summarizeDiagram(diagram);
  const block = await tryLayout(summary);
  if (block) return renderSvg(summary, block, theme);
  const unrelated = { ...summary, edges: [], notes: [...summary.notes, 'relationships not drawn'] };
  return renderSvg(unrelated, new DiagramLayout(unrelated, null).build(), theme);
}

interface Drawing {
  diagram: Diagram;
  block: Block;
}

function foldByDensity(diagram: Diagram): Diagram {
  const folded = foldEquals(diagram, { unlinked: false });
  return folded.nodes.length > MAX_CARDS.unfolded ? foldEquals(diagram, { unlinked: true }) : folded;
}

/**
 * Replaces more and more lines by badges until the diagram is neither too dense nor too long; otherwise returns the last layout
 * that can be drawn.
 */
async function drawCards(folded: Diagram): Promise<Drawing | null> {
  if (folded.nodes.length > MAX_CARDS.drawn) return null;
  let drawn: Drawing | null = null;
  let tried: Diagram | null = null;
  for (const fan of FANS) {
    const diagram = badgeHubs(folded, fan);
    const isLast = fan === FANS.at(-1);
    if (diagram.edges.length === tried?.edges.length) continue;
    if (!isLast && totalRankSpan(diagram.nodes.length, diagram.edges) > MAX_RANK_SPAN) continue;
    tried = diagram;
    const block = await tryLayout(diagram);
    if (block) drawn = { diagram, block };
    if (block && isReadable(block)) break;
  }
  return drawn && areaOf(drawn.block) <= MAX_AREA ? drawn : null;
}

const areaOf = ({ width, height }: Size): number => width * height;

function isReadable({ width, height }: Size): boolean {
  if (Math.max(width, height) <= SHAPE.small) return true;
  return width / height >= SHAPE.narrowest && width / height <= SHAPE.widest;
}

/** Null when Graphviz fails. Each layout uses its own instance, so a failed one is not reused. */
async function tryLayout(diagram: Diagram): Promise<Block | null> {
  const graphviz = await Graphviz.load();
  try {
    return new DiagramLayout(diagram, graphviz).build();
  } catch {
    return null;
  }
}
