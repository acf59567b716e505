import { useCall } from './api.js';
import type { Permission } from './parts.js';

/** What the caller may do in a workspace, as the server says it. Until it is known nothing is offered. */
export function usePermissions(workspaceId: string | undefined): (operation: string) => Permission {
  const { data, error } = useCall(workspaceId ? 'getWorkspacePermissions' : null, { path: { id: workspaceId ?? '' } });
  return (operation) => {
    const found = data?.permissions.find((each) => each.operation === operation);
    if (!found) return { allowed: false, reason: error ? error.message : 'asking the server' };
    const { allowed, reason, granted_by } = found;
    const grantors = granted_by.slice(0, 3).map(({ name, email }) => name || email);
    return { allowed, reason: reason && grantors.length > 0 ? `${reason}; ask ${grantors.join(', ')}` : reason };
  };
}
