import { type DesignFile } from '../../../formats/design-file.js';
import { type Task } from '../../../formats/task.js';
import { evaluate } from './evaluate.js';
import { type Evaluation, type EvaluationOptions, type ModelledDefinition } from './evaluation.js';

/** Definitions in a form that crosses to workers at once: UTF-8 JSON, and by what it is told from other definitions. */
export interface PackedDefinitions {
  digest: string;
  json: Uint8Array;
}

interface Input {
  design: DesignFile;
  definitions: PackedDefinitions;
  options: EvaluationOptions;
}

export const evaluationTask: Task<Input, Evaluation> = { module: import.meta.url, name: 'evaluateInWorker' };

/** Task of the worker pool. */
export function evaluateInWorker({ design, definitions, options }: Input): Evaluation {
  return evaluate(design, definitionsIn(definitions), options);
}

let known: { digest: string; list: ModelledDefinition[] } | null = null;

/** The definitions as data, which this thread keeps until it gets others. */
export function definitionsIn({ digest, json }: PackedDefinitions): readonly ModelledDefinition[] {
  if (known?.digest !== digest) {
    const text = Buffer.from(json.buffer, json.byteOffset, json.length).toString();
    known = { digest, list: JSON.parse(text) as ModelledDefinition[] };
  }
  return known.list;
}
