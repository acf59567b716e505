import { ClusterError } from './cluster-error.js';
import type { ClusterTransport } from './cluster-transport.js';
import type { ResourceKind } from './discovery.js';
import type { ObjectMetadata } from './kubernetes-object.js';
import { type ListedPage, toPage } from './object-answers.js';
import { objectPath } from './object-path.js';

export interface ListOptions {
  /** Default: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects per page; default 100, or 500 for metadata. It is reduced when a response is too large. */
  pageSize?: number;
  signal?: AbortSignal;
}

/** The maximum number of objects in a list, across all pages. */
const MAX_LISTED = 50_000;
const MAX_PAGES = 600;
const LIST_TIMEOUT_MS = 180_000;

/** Lists the objects of a kind in pages; a page that is too large is requested again with fewer objects. */
export async function* listPages<T extends ObjectMetadata>(
  transport: Pick<ClusterTransport, 'request'>,
  kind: ResourceKind,
  options: ListOptions,
  accept?: string,
): AsyncGenerator<ListedPage<T>> {
  let [next, pageSize, listed] = [undefined as string | undefined, options.pageSize ?? 100, 0];
  const end = performance.now() + LIST_TIMEOUT_MS;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    if (performance.now() > end)
      throw new ClusterError('timeout', `The cluster did not list all ${kind.plural} in time`);
    const query = {
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      limit: pageSize,
      continue: next,
    };
    const { signal } = options;
    const request = {
      path: objectPath(kind, options.namespace),
      query,
      accept,
      metadataOnly: accept !== undefined,
      signal,
    };
    const answer = await transport.request(request).catch((error: unknown) => {
      if (error instanceof ClusterError && error.kind === 'tooLarge' && pageSize > 1) return undefined;
      throw error;
    });
    if (!answer) {
      pageSize = Math.ceil(pageSize / 10);
      continue;
    }
    const { items, more, resourceVersion } = toPage<T>(answer, kind);
    listed += items.length;
    if (listed > MAX_LISTED)
      throw new ClusterError('tooLarge', `The cluster lists more than ${MAX_LISTED} ${kind.plural}`);
    yield { items, resourceVersion };
    if (!more) return;
    next = more;
  }
  throw new ClusterError('tooLarge', `The cluster lists ${kind.plural} on more than ${MAX_PAGES} pages`);
}
