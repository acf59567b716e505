import { ClusterError } from './cluster-error.js';
import type { ClusterRequest } from './cluster-request.js';
import type { ResourceKind } from './discovery.js';
import type { ListedPage } from './object-answers.js';
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

/** A page as it was received, with the token of the next one. */
export interface ReceivedPage<T> extends ListedPage<T> {
  more: string;
}

/**
 * Lists the objects of a kind in pages; a page that is too large is requested again with fewer objects.
 * @param receive requests a page and reads its items
 */
export async function* listPages<T>(
  kind: ResourceKind,
  options: ListOptions,
  receive: (request: ClusterRequest) => Promise<ReceivedPage<T>>,
): AsyncGenerator<ListedPage<T>> {
  let [next, pageSize, listed] = [undefined as string | undefined, options.pageSize ?? 100, 0];
  const end = performance.now() + LIST_TIMEOUT_MS;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    if (performance.now() > end)
      throw new ClusterError('timeout', `The cluster did not list all ${kind.plural} in time`);
    const { labelSelector, fieldSelector, signal } = options;
    const query = { labelSelector, fieldSelector, limit: pageSize, continue: next };
    const request = { path: objectPath(kind, options.namespace), query, signal };
    const page = await receive(request).catch((error: unknown) => {
      if (error instanceof ClusterError && error.kind === 'tooLarge' && pageSize > 1) return undefined;
      throw error;
    });
    if (!page) {
      pageSize = Math.ceil(pageSize / 10);
      continue;
    }
    const { items, more, resourceVersion } = page;
    listed += items.length;
    if (listed > MAX_LISTED)
      throw new ClusterError('tooLarge', `The cluster lists more than ${MAX_LISTED} ${kind.plural}`);
    yield { items, resourceVersion };
    if (!more) return;
    next = more;
  }
  throw new ClusterError('tooLarge', `The cluster lists ${kind.plural} on more than ${MAX_PAGES} pages`);
}
