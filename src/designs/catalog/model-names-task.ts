import type { Task } from '../../core/workers/task.js';
import { parseDesignFile, type PackedContent } from '../versions/packed-content.js';

/** The names of the models that a design is made of. */
export const modelNamesTask: Task<PackedContent, string[]> = { module: import.meta.url, name: 'modelsInWorker' };

/** Task of the worker pool. */
export function modelsInWorker(content: PackedContent): string[] {
  const { components } = parseDesignFile(content);
  return [...new Set(components.flatMap(({ model }) => [model.name, model.displayName ?? '']))];
}
