import { type Fault, InvalidRequest } from '../../../core/errors/app-error.js';
import { canonicalDesign } from '../../../formats/design-canonical.js';
import { faultsOfDesign } from '../../../formats/design-check.js';
import { isObject, type JsonObject } from '../../../formats/located.js';
import { HandedOver, type Task } from '../../../formats/task.js';
import { evaluate } from './evaluate.js';
import { type ModelledDefinition } from './evaluation.js';

/** Definitions in a form that crosses to workers at once: UTF-8 JSON, and by what it is told from other definitions. */
export interface PackedDefinitions {
  digest: string;
  json: Uint8Array;
}

interface Input {
  /** A design file as UTF-8 JSON. */
  design: Uint8Array;
  definitions: PackedDefinitions;
  /** As sent; members of EvaluationOptions once they are checked. */
  options: JsonObject;
}

export const evaluationTask: Task<Input, Uint8Array<ArrayBuffer>> = {
  module: import.meta.url,
  name: 'evaluateInWorker',
};

/** Task of the worker pool: the answer as UTF-8 JSON. @throws InvalidRequest with pointers into the body */
export function evaluateInWorker({ design, definitions, options }: Input): HandedOver<Uint8Array<ArrayBuffer>> {
  const result = evaluate(designIn(design, faultsOfOptions(options)), definitionsIn(definitions), options);
  const bytes = new TextEncoder().encode(JSON.stringify({ ...result, timestamp: new Date() }));
  return new HandedOver(bytes, [bytes.buffer]);
}

function designIn(bytes: Uint8Array, others: Fault[]): ReturnType<typeof canonicalDesign> {
  const data: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  if (!isObject(data)) throw InvalidRequest.at('/design', 'must be an object');
  const own = faultsOfDesign(data).map((fault) => ({
    ...fault,
    pointer: `/design${fault.pointer ?? ''}`,
  }));
  const faults = [...own, ...others];
  if (faults.length === 0) return canonicalDesign(data, 'design');
  throw new InvalidRequest(faults.map((fault) => `${fault.pointer} ${fault.detail}`).join('; '), { errors: faults });
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

const OPTIONS: Record<string, 'string' | 'boolean' | 'number'> = {
  namespace: 'string',
  applyPatches: 'boolean',
  limit: 'number',
};

function faultsOfOptions(options: JsonObject): Fault[] {
  if (!isObject(options)) return [{ pointer: '/options', detail: 'must be an object' }];
  return Object.entries(OPTIONS).flatMap(([name, type]) => {
    const value = options[name];
    const fits = value === undefined || (typeof value === type && (type !== 'number' || Number(value) >= 0));
    return fits ? [] : [{ pointer: `/options/${name}`, detail: `must be a ${type}` }];
  });
}
