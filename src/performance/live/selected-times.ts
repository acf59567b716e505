import type { PageFilter } from '../../core/listing/page-filter.js';
import type { TimeScope } from '../../workspaces/workspace-owned/narrow-by-times.js';
import { parseScope, WorkspaceOwnedQuery } from '../../workspaces/workspace-owned/workspace-owned.query.js';

/** The times that a selector narrows profiles or results by. @throws InvalidRequest naming the field that is wrong */
export function timesOf(selector: PageFilter): TimeScope {
  const { from, to, updatedAfter } = parseScope(selector.applyWithFiltersTo(new WorkspaceOwnedQuery()));
  return { from, to, updatedAfter };
}
