import type { Task } from '../../core/workers/task.js';
import type { Diagram } from './diagram.js';
import { DiagramLayout } from './diagram-layout.js';
import type { Theme } from './palette.js';
import { renderSvg } from './svg.js';

interface Drawing {
  diagram: Diagram;
  theme: Theme;
}

/** Draws a diagram without edges: its frames and cards side by side. */
export const drawingTask: Task<Drawing, string> = { module: import.meta.url, name: 'drawInWorker' };

/** Task of the worker pool. */
export const drawInWorker = ({ diagram, theme }: Drawing): string =>
  renderSvg(diagram, new DiagramLayout(diagram, null).build(), theme);
