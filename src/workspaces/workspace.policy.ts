import { policy } from '../core/access/policy.js';

export const workspacePolicy = policy('workspace', {
  read: 'viewer',
  create: { needs: 'member', scope: 'write' },
  update: 'admin',
  archive: 'admin',
  restore: 'admin',
  delete: 'admin',
  readMembers: 'viewer',
  manageMembers: 'admin',
  assignEnvironment: 'admin',
  unassignEnvironment: 'admin',
});
