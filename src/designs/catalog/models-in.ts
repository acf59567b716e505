import type { DesignFile } from '../../formats/design-file.js';
import type { Task } from '../../formats/task.js';

/** The names of the models that a design is made of, given as UTF-8 JSON. */
export const modelsTask: Task<Uint8Array, string[]> = { module: import.meta.url, name: 'modelsInWorker' };

/** Task of the worker pool. */
export function modelsInWorker(json: Uint8Array): string[] {
  const { components } = JSON.parse(Buffer.from(json).toString()) as DesignFile;
  return [...new Set(components.flatMap(({ model }) => [model.name, model.displayName ?? '']))];
}
