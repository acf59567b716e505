import { definePolicy } from '../core/access/policy.js';

/** The roles are those in the filter's workspace. Every signed-in user may also read and clone published filters. */
export const filterPolicy = definePolicy(
  'filter',
  {
    read: 'viewer',
    clone: { needs: 'viewer', scope: 'write' },
    create: 'editor',
    update: 'editor',
    publish: 'admin',
    delete: 'admin',
    restore: 'admin',
  },
  'workspace',
);
