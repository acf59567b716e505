import { type DesignFile } from '../../formats/design-file/design-file.js';
import { type Task } from '../../core/workers/task.js';
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

/** How a picture is drawn, and what of its design. */
export interface DiagramOptions extends DiagramPart {
  theme: Theme;
}

export interface RenderInput extends DiagramOptions {
  design: DesignFile;
  title: string;
  /** How its components are; without them their categories have the colours. */
  marks?: DiagramMarks;
  /** Draws the summary, whatever the size. */
  onlySummary: boolean;
}

/** Cards from which on those that are linked with nothing are folded too, and of which a picture becomes a summary. */
const MAX_CARDS = { unfolded: 250, drawn: 1000 };
/** How many lines one card may have on one side, from one try to the next. */
const FANS = [8, 5, 3];
/** Ranks that lines reach over, up to which a picture is drawn while it can be made sparser. */
const MAX_RANK_SPAN = 500;
/** Shapes that fit on a screen, width by height, and a length in pixels that is readable in any shape. */
const SHAPE = { narrowest: 0.5, widest: 3.5, small: 1800 };
/** Pixels of a picture beyond which nobody finds anything in it, and a summary says more. */
const MAX_AREA = 40e6;

/** As pictureOf, of a design as it is kept. */
export const diagramTask: Task<PackedRenderInput, string> = { module: import.meta.url, name: 'pictureInWorker' };

interface PackedRenderInput extends Omit<RenderInput, 'design'> {
  content: PackedContent;
}

/** Task of the worker pool. */
export function pictureInWorker({ content, ...input }: PackedRenderInput): Promise<string> {
  return renderDiagram({ design: parseDesignFile(content), ...input });
}

/**
 * A design as an SVG document, as dense as can be read: equal cards are one, hubs are badges where their lines would make a
 * strip or a tangle; and a summary when there are too many cards still, or when Graphviz gives up.
 * @throws InvalidRequest when the focus names nothing
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

/** With ever more badges for lines until the picture is neither a tangle nor a strip; of what never gets there the last that can be drawn. */
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

/** Null when Graphviz gives up, which then is not used again: each layout has a Graphviz of its own. */
async function tryLayout(diagram: Diagram): Promise<Block | null> {
  const graphviz = await Graphviz.load();
  try {
    return new DiagramLayout(diagram, graphviz).build();
  } catch {
    return null;
  }
}
