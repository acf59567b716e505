import { AppError } from '../../core/errors/app-error.js';
import { parseExactJson } from '../../core/json/large-integers.js';
import { toJsonChunks, INLINE_MAX_BYTES, fromJsonChunks } from '../../core/json/json-chunks.js';
import { isObject } from '../../core/json/json.js';
import { defineTask, TransferredValue, type Task, type TaskRunner } from '../../core/workers/task.js';
import { ClusterError } from './cluster-error.js';

type Bytes = Uint8Array<ArrayBuffer>;

interface ResponseInput {
  bytes: Bytes;
  /** Keep only the metadata of list items. */
  metadataOnly: boolean;
}

/** A split response: chunks of list items, and the rest. */
type ResponseParts = { rest: Bytes; items: Bytes[] | null } | { refusal: string };

/** The maximum number of values in an object, or in a list without its items; real ones have a tenth of it. */
const MAX_NODES = 200_000;
const MAX_DEPTH = 500;

const splitTask: Task<ResponseInput, ResponseParts> = defineTask(import.meta.url, { splitInWorker });

/**
 * Parses a response. A large one is split in a worker and parsed in chunks that yield to the event loop.
 * @throws ClusterError `protocol` for invalid JSON, or a structure that no cluster returns
 */
export async function parseResponse(bytes: Bytes, metadataOnly: boolean, tasks: TaskRunner): Promise<unknown> {
  if (bytes.length <= INLINE_MAX_BYTES) {
    const body = parseJson(bytes);
    if (body === undefined) throw new ClusterError('protocol', 'The response of the cluster is not valid JSON');
    const refusal = findRefusal(body);
    if (refusal) throw new ClusterError('protocol', refusal);
    return body;
  }
  const input = { bytes, metadataOnly };
  const parts = await tasks.run(splitTask, input, { lane: 'cluster', transferList: [bytes.buffer] });
  if ('refusal' in parts) throw new ClusterError('protocol', parts.refusal);
  const rest = parseJson(parts.rest);
  return parts.items === null ? rest : { ...(rest as object), items: await fromJsonChunks(parts.items) };
}

/**
 * Reads a response for a watch, which waits and goes on when no worker is free for it.
 * @throws ClusterError `throttled` when too many responses wait for a worker, `tooLarge` when reading it takes too long or too much
 *   memory
 */
export async function inWorker<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, remedy } = error;
    if (code !== 'TOO_BUSY' && code !== 'TOO_COSTLY') throw error;
    throw new ClusterError(code === 'TOO_BUSY' ? 'throttled' : 'tooLarge', message, { cause: error, remedy });
  }
}

/** A task of the worker pool. */
export function splitInWorker({ bytes, metadataOnly }: ResponseInput): TransferredValue<ResponseParts> {
  const response = parseList(bytes);
  if ('refusal' in response) return new TransferredValue(response, []);
  const { items, own } = response;
  const kept = items?.map((item) => (metadataOnly && isObject(item) ? { metadata: item['metadata'] } : item));
  const chunks = kept ? toJsonChunks(kept) : null;
  const ownBytes = new TextEncoder().encode(JSON.stringify(own));
  return new TransferredValue(
    { rest: ownBytes, items: chunks },
    [ownBytes, ...(chunks ?? [])].map(({ buffer }) => buffer),
  );
}

/** Parses a response as a whole, for a task. @returns its items, if it is a list, and the rest; or why it is refused */
export function parseList(bytes: Bytes): { items: unknown[] | null; own: unknown } | { refusal: string } {
  const body = parseJson(bytes);
  if (body === undefined) return { refusal: 'The response of the cluster is not valid JSON' };
  const { items, own } = splitList(body) ?? { items: null, own: body };
  const refusal = [own, ...(items ?? [])].map(findRefusal).find(Boolean);
  return refusal ? { refusal } : { items, own };
}

/** Splits a list into its items and the rest. */
function splitList(body: unknown): { items: unknown[]; own: object } | undefined {
  if (!isObject(body)) return undefined;
  const { items, ...own } = body;
  return Array.isArray(items) ? { items, own } : undefined;
}

function parseJson(bytes: Bytes): unknown {
  try {
    return parseExactJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Returns why a value is rejected: later code traverses it in one turn of the event loop. */
function findRefusal(value: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  let nodes = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > MAX_DEPTH) return `The cluster answered something nested more than ${MAX_DEPTH} levels deep`;
    const inner = Object.values(next.value);
    nodes += inner.length;
    if (nodes > MAX_NODES) return `The cluster answered an object of more than ${MAX_NODES} values`;
    for (const one of inner) open.push({ value: one, depth: next.depth + 1 });
  }
  return undefined;
}
