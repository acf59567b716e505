import { definePolicy } from '../core/access/policy.js';

/** The roles are those in the filter's workspace; a published filter is also read and cloned by everyone who is signed in. */
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
