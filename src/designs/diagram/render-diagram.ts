import { type DesignFile } from '../../formats/design-file/design-file.js';
import { type Task } from '../../core/workers/task.js';
import { parseDesignFile, type PackedContent } from '../versions/packed-content.js';
import { type Diagram } from './diagram.js';
import { buildDiagram } from './build-diagram.js';
import { Graphviz } from './graphviz.js';
import { DiagramLayout } from './diagram-layout.js';
import { type Theme } from './palette.js';
import { summarizeDiagram } from './summary.js';
import { renderSvg } from './svg.js';

export interface RenderInput {
  design: DesignFile;
  title: string;
  theme: Theme;
  /** Draws the summary, whatever the size. */
  onlySummary: boolean;
}

/** What is drawn one by one; of more there is a summary. */
const MAX_DRAWN = { nodes: 1000, edges: 2000 };

/** As pictureOf, of a design as it is kept. */
export const diagramTask: Task<PackedRenderInput, string> = { module: import.meta.url, name: 'pictureInWorker' };

interface PackedRenderInput extends Omit<RenderInput, 'design'> {
  content: PackedContent;
}

/** Task of the worker pool. */
export function pictureInWorker({ content, ...input }: PackedRenderInput): Promise<string> {
  return renderDiagram({ design: parseDesignFile(content), ...input });
}

/** A design as an SVG document: each component, or a summary when there are too many, or when Graphviz gives up. */
export async function renderDiagram({ design, title, theme, onlySummary }: RenderInput): Promise<string> {
  const diagram = buildDiagram(design, title);
  const isLarge = diagram.nodes.length > MAX_DRAWN.nodes || diagram.edges.length > MAX_DRAWN.edges;
  if (!isLarge && !onlySummary) {
    const svg = await tryRender(diagram, theme);
    if (svg !== null) return svg;
  }
  const summary = summarizeDiagram(diagram);
  const unrelated = { ...summary, edges: [], notes: [...summary.notes, 'relationships not drawn'] };
  return (await tryRender(summary, theme)) ?? renderSvg(unrelated, new DiagramLayout(unrelated, null).build(), theme);
}

/** Null when Graphviz gives up, which then is not used again: each picture has a Graphviz of its own. */
async function tryRender(diagram: Diagram, theme: Theme): Promise<string | null> {
  const graphviz = await Graphviz.load();
  try {
    return renderSvg(diagram, new DiagramLayout(diagram, graphviz).build(), theme);
  } catch {
    return null;
  }
}
