import { definePolicy, type Operation } from '../core/access/policy.js';

export const workspacePolicy = definePolicy(
  'workspace',
  {
    read: 'viewer',
    create: { needs: 'member', scope: 'write' },
    update: 'admin',
    archive: 'admin',
    restore: 'admin',
    delete: 'admin',
    readMembers: 'viewer',
    manageMembers: 'admin',
    leave: { needs: 'viewer', scope: 'write' },
    assignEnvironment: 'admin',
    unassignEnvironment: 'admin',
    readQuotas: 'viewer',
    setQuotas: 'organization_admin',
  },
  'workspace',
);

/** Operations that are allowed on an archived workspace. */
export const OPERATIONS_ON_ARCHIVED: readonly Operation[] = [
  workspacePolicy.archive,
  workspacePolicy.restore,
  workspacePolicy.delete,
];
