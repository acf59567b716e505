import { chunksOf, INLINE_MAX_BYTES, itemsOf } from '../../formats/json-chunks.js';
import { isObject } from '../../formats/located.js';
import { HandedOver, type Task, type TaskRunner } from '../../formats/task.js';
import { ClusterError } from './cluster-error.js';

type Bytes = Uint8Array<ArrayBuffer>;

interface AnswerInput {
  bytes: Bytes;
  /** Of the items of a list only what names and owns them is kept. */
  metadataOnly: boolean;
}

/** An answer taken apart: the items of a list in chunks, and all else. */
type AnswerParts = { rest: Bytes; items: Bytes[] | null } | { refusal: string };

/** Of one object, or of a list without its items; real ones have a tenth of it. */
const MOST_NODES = 200_000;
const DEEPEST = 500;

const splitTask: Task<AnswerInput, AnswerParts> = { module: import.meta.url, name: 'splitInWorker' };

/**
 * An answer as data. What is large is taken apart in a worker, and parsed piece by piece with turns for others in between.
 * @throws ClusterError `protocol` when it is no JSON, or none that a cluster would send
 */
export async function parseAnswer(bytes: Bytes, metadataOnly: boolean, tasks: TaskRunner): Promise<unknown> {
  if (bytes.length <= INLINE_MAX_BYTES) {
    const body = parsed(bytes);
    if (body === undefined) throw new ClusterError('protocol', 'The cluster answered something that is not valid JSON');
    const refusal = refusalOf(body);
    if (refusal) throw new ClusterError('protocol', refusal);
    return body;
  }
  const input = { bytes, metadataOnly };
  const parts = await tasks.run(splitTask, input, { buffers: [bytes.buffer] });
  if ('refusal' in parts) throw new ClusterError('protocol', parts.refusal);
  const rest = parsed(parts.rest);
  return parts.items === null ? rest : { ...(rest as object), items: await itemsOf(parts.items) };
}

/** Task of a worker. */
export function splitInWorker({ bytes, metadataOnly }: AnswerInput): HandedOver<AnswerParts> {
  const body = parsed(bytes);
  if (body === undefined) return refused('The cluster answered something that is not valid JSON');
  const { items, own } = listIn(body) ?? { items: null, own: body };
  const refusal = [own, ...(items ?? [])].map(refusalOf).find(Boolean);
  if (refusal) return refused(refusal);
  const kept = items?.map((item) => (metadataOnly && isObject(item) ? { metadata: item['metadata'] } : item));
  const chunks = kept ? chunksOf(kept) : null;
  const ownBytes = new TextEncoder().encode(JSON.stringify(own));
  return new HandedOver(
    { rest: ownBytes, items: chunks },
    [ownBytes, ...(chunks ?? [])].map(({ buffer }) => buffer),
  );
}

/** The items of a list, and the list without them. */
function listIn(body: unknown): { items: unknown[]; own: object } | undefined {
  if (!isObject(body)) return undefined;
  const { items, ...own } = body;
  return Array.isArray(items) ? { items, own } : undefined;
}

const refused = (refusal: string): HandedOver<AnswerParts> => new HandedOver({ refusal }, []);

function parsed(bytes: Bytes): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Why nobody should work with this value: what walks it later, walks it in one turn of the event loop. */
function refusalOf(value: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  let nodes = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > DEEPEST) return `The cluster answered something nested more than ${DEEPEST} levels deep`;
    const inner = Object.values(next.value);
    nodes += inner.length;
    if (nodes > MOST_NODES) return `The cluster answered an object of more than ${MOST_NODES} values`;
    for (const one of inner) open.push({ value: one, depth: next.depth + 1 });
  }
  return undefined;
}
