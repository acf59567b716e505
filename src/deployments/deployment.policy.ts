import { definePolicy } from '../core/access/policy.js';

/** The roles are those in the workspace of the design; on an environment of the tier production only admins act. */
export const deploymentPolicy = definePolicy(
  'deployment',
  {
    read: 'viewer',
    plan: { needs: 'editor', scope: 'deploy' },
    deploy: { needs: 'editor', scope: 'deploy' },
    cancel: { needs: 'editor', scope: 'deploy' },
    actOnProduction: { needs: 'admin', scope: 'deploy' },
    approve: { needs: 'admin', scope: 'admin', peopleOnly: true },
  },
  'workspace',
);
