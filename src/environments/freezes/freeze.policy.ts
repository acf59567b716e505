import { definePolicy } from '../../core/access/policy.js';

export const freezePolicy = definePolicy('freeze', {
  read: { needs: 'organization_admin', scope: 'read' },
  create: 'organization_admin',
  update: 'organization_admin',
  delete: 'organization_admin',
  override: { needs: 'organization_admin', scope: 'deploy' },
});
