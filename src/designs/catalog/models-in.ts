import type { Task } from '../../formats/task.js';
import { fileIn, type PackedContent } from '../versions/packed-content.js';

/** The names of the models that a design is made of. */
export const modelsTask: Task<PackedContent, string[]> = { module: import.meta.url, name: 'modelsInWorker' };

/** Task of the worker pool. */
export function modelsInWorker(content: PackedContent): string[] {
  const { components } = fileIn(content);
  return [...new Set(components.flatMap(({ model }) => [model.name, model.displayName ?? '']))];
}
