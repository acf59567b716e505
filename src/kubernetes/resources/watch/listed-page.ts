import { defineTask, type Task, TransferredValue } from '../../../core/workers/task.js';
import { type PageInput, type ReadPage, readItems } from '../../clusters/read-page.js';
import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import { type SeenResource, toSeenResource } from '../resource-row.js';

/** The maximum length of names in Kubernetes. */
const MAX_NAME = 253;

/** Reads a page of a list as the rows of its objects. */
export const LISTED_PAGE: Task<PageInput, ReadPage<SeenResource>> = defineTask(import.meta.url, { readListedPage });

/** A task of the worker pool. The contents of all rows share a buffer, which is transferred. */
export function readListedPage(input: PageInput): TransferredValue<ReadPage<SeenResource>> {
  const page = readItems(input, (object) => (isStorable(object) ? [toSeenResource(input.kind, object)] : []));
  if ('refusal' in page) return new TransferredValue(page, []);
  const contents = new Uint8Array(page.items.reduce((sum, { row }) => sum + row.content.length, 0));
  let at = 0;
  for (const { row } of page.items) {
    contents.set(row.content, at);
    row.content = contents.subarray(at, (at += row.content.length));
  }
  return new TransferredValue(page, [contents.buffer]);
}

export function isStorable({ metadata: { name, namespace = '', uid } }: KubernetesObject): boolean {
  const isName = (given: unknown): boolean =>
    typeof given === 'string' && given.length <= MAX_NAME && !given.includes('\0');
  return isName(name) && name !== '' && isName(namespace) && isName(uid);
}
