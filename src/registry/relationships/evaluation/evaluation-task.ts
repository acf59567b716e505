import { type DesignFile } from '../../../formats/design-file.js';
import { type Task } from '../../../formats/worker-pool.js';
import { evaluate } from './evaluate.js';
import { type Evaluation, type EvaluationOptions, type ModelledDefinition } from './evaluation.js';

interface Input {
  design: DesignFile;
  definitions: readonly ModelledDefinition[];
  options: EvaluationOptions;
}

export const evaluationTask: Task<Input, Evaluation> = { module: import.meta.url, name: 'evaluateInWorker' };

/** Task of the worker pool. */
export function evaluateInWorker({ design, definitions, options }: Input): Evaluation {
  return evaluate(design, definitions, options);
}
