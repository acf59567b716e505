import { definePolicy } from '../core/access/policy.js';

export const connectionPolicy = definePolicy('connection', {
  read: 'viewer',
  create: 'organization_admin',
  update: 'organization_admin',
  ping: 'organization_admin',
  delete: 'organization_admin',
  restore: 'organization_admin',
});
