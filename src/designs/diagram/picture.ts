import { type DesignFile } from '../../formats/design-file.js';
import { type Task } from '../../formats/task.js';
import { fileIn, type PackedContent } from '../versions/packed-content.js';
import { type Diagram } from './diagram.js';
import { diagramOf } from './diagram-of-design.js';
import { Graphviz } from './graphviz.js';
import { Layout } from './layout.js';
import { type Theme } from './palette.js';
import { summaryOf } from './summary.js';
import { svgOf } from './svg.js';

export interface PictureInput {
  design: DesignFile;
  title: string;
  theme: Theme;
  /** Draws the summary, whatever the size. */
  onlySummary: boolean;
}

/** What is drawn one by one; of more there is a summary. */
const MOST = { nodes: 1000, edges: 2000 };

/** As pictureOf, of a design as it is kept. */
export const pictureTask: Task<KeptInput, string> = { module: import.meta.url, name: 'pictureInWorker' };

interface KeptInput extends Omit<PictureInput, 'design'> {
  content: PackedContent;
}

/** Task of the worker pool. */
export function pictureInWorker({ content, ...input }: KeptInput): Promise<string> {
  return pictureOf({ design: fileIn(content), ...input });
}

/** A design as an SVG document: each component, or a summary when there are too many, or when Graphviz gives up. */
export async function pictureOf({ design, title, theme, onlySummary }: PictureInput): Promise<string> {
  const diagram = diagramOf(design, title);
  const isLarge = diagram.nodes.length > MOST.nodes || diagram.edges.length > MOST.edges;
  if (!isLarge && !onlySummary) {
    const svg = await drawn(diagram, theme);
    if (svg !== null) return svg;
  }
  const summary = summaryOf(diagram);
  const unrelated = { ...summary, edges: [], notes: [...summary.notes, 'relationships not drawn'] };
  return (await drawn(summary, theme)) ?? svgOf(unrelated, new Layout(unrelated, null).block(), theme);
}

/** Null when Graphviz gives up, which then is not used again: each picture has a Graphviz of its own. */
async function drawn(diagram: Diagram, theme: Theme): Promise<string | null> {
  const graphviz = await Graphviz.load();
  try {
    return svgOf(diagram, new Layout(diagram, graphviz).block(), theme);
  } catch {
    return null;
  }
}
