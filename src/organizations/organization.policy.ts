import { policy } from '../core/access/policy.js';

export const organizationPolicy = policy('organization', {
  read: 'member',
  update: 'organization_admin',
  delete: 'owner',
  readMembers: 'member',
  nameOwners: 'owner',
  manageMembers: 'organization_admin',
});
