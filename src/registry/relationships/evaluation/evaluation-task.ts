import { type Fault, InvalidRequest } from '../../../core/errors/app-error.js';
import { toCanonicalDesign } from '../../../formats/design-file/canonical-design.js';
import { findDesignFaults } from '../../../formats/design-file/design-check.js';
import { isObject, type JsonObject } from '../../../core/json/json.js';
import { defineTask, TransferredValue, type Task } from '../../../core/workers/task.js';
import { evaluate } from './evaluate.js';
import { type Evaluation, type ModelledDefinition } from './evaluation.js';

/** Definitions in a form that is cheap to send to workers: UTF-8 JSON, and a key that identifies them. */
export interface PackedDefinitions {
  digest: string;
  json: Uint8Array;
}

interface EvaluationTaskInput {
  /** A design file as UTF-8 JSON. */
  design: Uint8Array;
  definitions: PackedDefinitions;
  /** As sent; members of EvaluationOptions and ResponseOptions once they are checked. */
  options: JsonObject;
  /** The maximum size of the resulting design, so that it can be sent back. */
  maxDesignBytes: number;
}

interface ResponseOptions {
  /** Whether the design has only what changed; default: no. */
  returnDiffOnly?: boolean;
  /** Whether the response has the trace; default: yes. */
  enableTrace?: boolean;
}

const SCHEMA_VERSION = 'evaluation.meshery.io/v1beta1';
/** The maximum size of what is added to a design: a response has each relationship in the design, in an action and in the trace. */
const MAX_ADDED_BYTES_OF_RESPONSE = 2 * 1024 * 1024;
/** What a request has around its design. */
const REQUEST_BYTES = 4 * 1024;

export const evaluationTask: Task<EvaluationTaskInput, Uint8Array<ArrayBuffer>> = defineTask(import.meta.url, {
  evaluateInWorker,
});

/** Task of the worker pool: the response as UTF-8 JSON. @throws InvalidRequest with pointers into the body */
export function evaluateInWorker({
  design: bytes,
  definitions,
  options,
  maxDesignBytes,
}: EvaluationTaskInput): TransferredValue<Uint8Array<ArrayBuffer>> {
  const design = parseDesign(bytes, findOptionFaults(options));
  const space = maxDesignBytes - REQUEST_BYTES - Buffer.byteLength(JSON.stringify(design));
  const evaluation = evaluate(
    design,
    unpackDefinitions(definitions),
    options,
    Math.min(space, MAX_ADDED_BYTES_OF_RESPONSE),
  );
  const response = new TextEncoder().encode(JSON.stringify(toResponse(evaluation, options)));
  return new TransferredValue(response, [response.buffer]);
}

function toResponse(
  { design, actions, trace }: Evaluation,
  { returnDiffOnly = false, enableTrace = true }: ResponseOptions,
): object {
  const changes = {
    ...design,
    components: trace.componentsUpdated,
    relationships: [...trace.relationshipsAdded, ...trace.relationshipsUpdated],
  };
  return {
    schemaVersion: SCHEMA_VERSION,
    design: returnDiffOnly ? changes : design,
    actions,
    ...(enableTrace ? { trace } : {}),
    timestamp: new Date(),
  };
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
  returnDiffOnly: 'boolean',
  enableTrace: 'boolean',
};

function findOptionFaults(options: JsonObject): Fault[] {
  if (!isObject(options)) return [{ pointer: '/options', detail: 'must be an object' }];
  return Object.entries(OPTION_TYPES).flatMap(([name, type]) => {
    const value = options[name];
    const fits = value === undefined || (typeof value === type && (type !== 'number' || Number(value) >= 0));
    return fits ? [] : [{ pointer: `/options/${name}`, detail: `must be a ${type}` }];
  });
}
