import { definePolicy } from '../../core/access/policy.js';

export const credentialPolicy = definePolicy('credential', {
  read: { needs: 'organization_admin', scope: 'read' },
  create: 'organization_admin',
  update: 'organization_admin',
  delete: 'organization_admin',
});
