import { definePolicy } from '../core/access/policy.js';

/** The roles are those in the design's workspace. */
export const designPolicy = definePolicy(
  'design',
  {
    read: 'viewer',
    create: 'editor',
    importFromProduction: { needs: 'admin', scope: 'write' },
    update: 'editor',
    move: 'editor',
    delete: 'admin',
    restore: 'admin',
    publish: 'admin',
    clone: { needs: 'viewer', scope: 'write' },
    snapshot: 'editor',
  },
  'workspace',
);
