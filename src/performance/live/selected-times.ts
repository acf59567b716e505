import type { PageFilter } from '../../core/listing/page-filter.js';
import type { TimeScope } from '../../workspaces/workspace-owned/narrow-by-times.js';
import { parseScope, WorkspaceOwnedQuery } from '../../workspaces/workspace-owned/workspace-owned.query.js';

/** Parses the times of a selector of profiles or results. @throws InvalidRequest naming the invalid field */
export function timesOf(selector: PageFilter): TimeScope {
  const { from, to, updatedAfter } = parseScope(selector.applyWithFiltersTo(new WorkspaceOwnedQuery()));
  return { from, to, updatedAfter };
}
