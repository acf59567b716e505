import { definePolicy } from '../core/access/policy.js';

/** The roles are roles in the workspace of the design. In environments of the tier `production`, they require a workspace admin. */
export const deploymentPolicy = definePolicy(
  'deployment',
  {
    read: 'viewer',
    logs: { needs: 'editor', scope: 'read' },
    plan: { needs: 'editor', scope: 'deploy' },
    deploy: { needs: 'editor', scope: 'deploy' },
    cancel: { needs: 'editor', scope: 'deploy' },
    actOnProduction: { needs: 'admin', scope: 'deploy' },
    carrySecretValues: { needs: 'organization_admin', scope: 'deploy' },
    approve: { needs: 'admin', scope: 'admin', peopleOnly: true },
  },
  'workspace',
);
