import { defineTask, type Task } from '../../core/workers/task.js';
import type { Diagram } from './diagram.js';
import { DiagramLayout } from './diagram-layout.js';
import type { Theme } from './palette.js';
import { renderSvg } from './svg.js';

interface Drawing {
  diagram: Diagram;
  theme: Theme;
}

/** Renders a diagram without edges: its frames and cards side by side. */
export const drawingTask: Task<Drawing, string> = defineTask(import.meta.url, { drawInWorker });

/** Task of the worker pool. */
export function drawInWorker({ diagram, theme }: Drawing): string {
  return renderSvg(diagram, new DiagramLayout(diagram, null).build(), theme);
}
