import { definePolicy } from '../core/access/policy.js';

/** What is done with a cluster as a whole; designs are deployed to it by the policy of deployments. */
export const clusterPolicy = definePolicy('cluster', {
  readRights: { needs: 'organization_admin', scope: 'read' },
  changeControllers: 'organization_admin',
});
