import { definePolicy } from '../core/access/policy.js';

export const environmentPolicy = definePolicy('environment', {
  read: 'viewer',
  create: 'organization_admin',
  update: 'organization_admin',
  archive: 'organization_admin',
  restore: 'organization_admin',
  delete: 'organization_admin',
  connect: 'organization_admin',
  assign: 'admin',
});
