import { type Fault, InvalidRequest } from '../../../core/errors/app-error.js';
import { toCanonicalDesign } from '../../../formats/design-file/canonical-design.js';
import { findDesignFaults } from '../../../formats/design-file/design-check.js';
import { isObject, type JsonObject } from '../../../core/json/json.js';
import { defineTask, TransferredValue, type Task } from '../../../core/workers/task.js';
import { evaluate } from './evaluate.js';
import { type ModelledDefinition } from './evaluation.js';

/** Definitions in a form that is cheap to send to workers: UTF-8 JSON, and a key that identifies them. */
export interface PackedDefinitions {
  digest: string;
  json: Uint8Array;
}

interface EvaluationTaskInput {
  /** A design file as UTF-8 JSON. */
  design: Uint8Array;
  definitions: PackedDefinitions;
  /** As sent; members of EvaluationOptions once they are checked. */
  options: JsonObject;
}

export const evaluationTask: Task<EvaluationTaskInput, Uint8Array<ArrayBuffer>> = defineTask(import.meta.url, {
  evaluateInWorker,
});

/** Task of the worker pool: the answer as UTF-8 JSON. @throws InvalidRequest with pointers into the body */
export function evaluateInWorker({
  design,
  definitions,
  options,
}: EvaluationTaskInput): TransferredValue<Uint8Array<ArrayBuffer>> {
  const result = evaluate(parseDesign(design, findOptionFaults(options)), unpackDefinitions(definitions), options);
  const bytes = new TextEncoder().encode(JSON.stringify({ ...result, timestamp: new Date() }));
  return new TransferredValue(bytes, [bytes.buffer]);
}

function parseDesign(bytes: Uint8Array, others: Fault[]): ReturnType<typeof toCanonicalDesign> {
  const data: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  if (!isObject(data)) throw InvalidRequest.forField('/design', 'must be an object');
  const own = findDesignFaults(data).map((fault) => ({
    ...fault,
    pointer: `/design${fault.pointer ?? ''}`,
  }));
  const faults = [...own, ...others];
  if (faults.length === 0) return toCanonicalDesign(data, 'design');
  throw new InvalidRequest(faults.map((fault) => `${fault.pointer} ${fault.detail}`).join('; '), { errors: faults });
}

let cachedDefinitions: { digest: string; list: ModelledDefinition[] } | null = null;

/** The parsed definitions, cached by this thread until it gets others. */
export function unpackDefinitions({ digest, json }: PackedDefinitions): readonly ModelledDefinition[] {
  if (cachedDefinitions?.digest !== digest) {
    const text = Buffer.from(json.buffer, json.byteOffset, json.length).toString();
    cachedDefinitions = { digest, list: JSON.parse(text) as ModelledDefinition[] };
  }
  return cachedDefinitions.list;
}

const OPTION_TYPES: Record<string, 'string' | 'boolean' | 'number'> = {
  namespace: 'string',
  applyPatches: 'boolean',
  limit: 'number',
};

function findOptionFaults(options: JsonObject): Fault[] {
  if (!isObject(options)) return [{ pointer: '/options', detail: 'must be an object' }];
  return Object.entries(OPTION_TYPES).flatMap(([name, type]) => {
    const value = options[name];
    const fits = value === undefined || (typeof value === type && (type !== 'number' || Number(value) >= 0));
    return fits ? [] : [{ pointer: `/options/${name}`, detail: `must be a ${type}` }];
  });
}
