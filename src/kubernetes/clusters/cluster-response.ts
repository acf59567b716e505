import { parseExactJson } from '../../core/json/large-integers.js';
import { toJsonChunks, INLINE_MAX_BYTES, fromJsonChunks } from '../../core/json/json-chunks.js';
import { isObject } from '../../core/json/json.js';
import { defineTask, InlineTaskRunner, TransferredValue, type Task, type TaskRunner } from '../../core/workers/task.js';
import { ClusterError } from './cluster-error.js';
import type { ResourceKind } from './discovery.js';
import type { KubernetesObject } from './kubernetes-object.js';
import { toPage } from './object-answers.js';

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

/** A page of a list as bytes, for a task that reads it. */
export interface PageInput {
  bytes: Bytes;
  kind: ResourceKind;
}

/** What a task makes of a page, or why it is refused. */
export type ReadPage<T> = { items: T[]; more: string; resourceVersion: string } | { refusal: string };

/** Reads a page: a large one in a worker. @throws ClusterError `protocol` */
export async function readPage<T>(
  input: PageInput,
  read: Task<PageInput, ReadPage<T>>,
  tasks: TaskRunner,
): Promise<Exclude<ReadPage<T>, { refusal: string }>> {
  const isSmall = input.bytes.length <= INLINE_MAX_BYTES;
  const page = isSmall
    ? await new InlineTaskRunner().run(read, input)
    : await tasks.run(read, input, { lane: 'cluster', transferList: [input.bytes.buffer] });
  if ('refusal' in page) throw new ClusterError('protocol', page.refusal);
  return page;
}

/** Reads a page with a function for its objects; for a task. */
export function readPageItems<T>({ bytes, kind }: PageInput, read: (object: KubernetesObject) => T[]): ReadPage<T> {
  const body = parseJson(bytes);
  if (body === undefined) return { refusal: 'The cluster answered something that is not valid JSON' };
  const { items, own } = splitList(body) ?? { items: [], own: body };
  const refusal = [own, ...items].map(findRefusal).find(Boolean);
  if (refusal) return { refusal };
  try {
    const page = toPage<KubernetesObject>(body, kind);
    return { ...page, items: page.items.flatMap(read) };
  } catch (error) {
    if (error instanceof ClusterError) return { refusal: error.message };
    throw error;
  }
}

/** A task of the worker pool. */
export function splitInWorker({ bytes, metadataOnly }: ResponseInput): TransferredValue<ResponseParts> {
  const body = parseJson(bytes);
  if (body === undefined) return refusedParts('The response of the cluster is not valid JSON');
  const { items, own } = splitList(body) ?? { items: null, own: body };
  const refusal = [own, ...(items ?? [])].map(findRefusal).find(Boolean);
  if (refusal) return refusedParts(refusal);
  const kept = items?.map((item) => (metadataOnly && isObject(item) ? { metadata: item['metadata'] } : item));
  const chunks = kept ? toJsonChunks(kept) : null;
  const ownBytes = new TextEncoder().encode(JSON.stringify(own));
  return new TransferredValue(
    { rest: ownBytes, items: chunks },
    [ownBytes, ...(chunks ?? [])].map(({ buffer }) => buffer),
  );
}

/** Splits a list into its items and the rest. */
function splitList(body: unknown): { items: unknown[]; own: object } | undefined {
  if (!isObject(body)) return undefined;
  const { items, ...own } = body;
  return Array.isArray(items) ? { items, own } : undefined;
}

const refusedParts = (refusal: string): TransferredValue<ResponseParts> => new TransferredValue({ refusal }, []);

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
