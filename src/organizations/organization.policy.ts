import { definePolicy } from '../core/access/policy.js';

export const organizationPolicy = definePolicy('organization', {
  create: { needs: 'none', scope: 'admin', installation: true },
  read: 'member',
  update: 'organization_admin',
  delete: 'owner',
  readMembers: 'member',
  leave: { needs: 'member', scope: 'write' },
  nameOwners: 'owner',
  manageMembers: 'organization_admin',
  readTeams: 'member',
  manageTeams: 'organization_admin',
  manageServiceAccounts: 'organization_admin',
});

export type OrganizationOperation = keyof typeof organizationPolicy;
