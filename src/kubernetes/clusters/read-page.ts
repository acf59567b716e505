import { isObject } from '../../core/json/json.js';
import { INLINE_MAX_BYTES } from '../../core/json/json-chunks.js';
import { InlineTaskRunner, type Task, type TaskRunner } from '../../core/workers/task.js';
import { ClusterError } from './cluster-error.js';
import { inWorker, parseList } from './cluster-response.js';
import type { ResourceKind } from './discovery.js';
import type { KubernetesObject } from './kubernetes-object.js';
import type { ReceivedPage } from './list-pages.js';
import { toPage } from './object-answers.js';

/** A page of a list as it was received, for a task that reads it. */
export interface PageInput {
  bytes: Uint8Array<ArrayBuffer>;
  kind: ResourceKind;
}

/** What a task makes of a page, or why it is refused. */
export type ReadPage<T> = ReceivedPage<T> | { refusal: string };

/** Reads a page: a large one in a worker. @throws ClusterError `protocol`, or as `inWorker` */
export async function readPage<T>(
  input: PageInput,
  read: Task<PageInput, ReadPage<T>>,
  tasks: TaskRunner,
): Promise<ReceivedPage<T>> {
  const isSmall = input.bytes.length <= INLINE_MAX_BYTES;
  const page = isSmall
    ? await new InlineTaskRunner().run(read, input)
    : await inWorker(() => tasks.run(read, input, { lane: 'cluster', transferList: [input.bytes.buffer] }));
  if ('refusal' in page) throw new ClusterError('protocol', page.refusal);
  return page;
}

/** Reads the objects of a page, for a task. */
export function readItems<T>({ bytes, kind }: PageInput, read: (object: KubernetesObject) => T[]): ReadPage<T> {
  const list = parseList(bytes);
  if ('refusal' in list) return list;
  const { items, own } = list;
  try {
    const page = toPage<KubernetesObject>(isObject(own) ? { ...own, items: items ?? own['items'] } : own, kind);
    return { ...page, items: page.items.flatMap(read) };
  } catch (error) {
    if (error instanceof ClusterError) return { refusal: error.message };
    throw error;
  }
}
