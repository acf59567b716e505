import { definePolicy } from '../../core/access/policy.js';

/** The roles are those on the connection: in its organization, or in a workspace that has an environment with it. */
export const resourcePolicy = definePolicy('resource', {
  read: 'viewer',
  resync: 'editor',
});
