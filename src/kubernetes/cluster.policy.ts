import { definePolicy } from '../core/access/policy.js';

/** Operations on a cluster as a whole; the policy of deployments covers deploying designs to it. */
export const clusterPolicy = definePolicy('cluster', {
  readRights: { needs: 'organization_admin', scope: 'read' },
  changeControllers: 'organization_admin',
});
