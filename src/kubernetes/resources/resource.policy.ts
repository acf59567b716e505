import { definePolicy } from '../../core/access/policy.js';

/** Requires a role on the connection: in its organization, or in a workspace with an environment that contains it. */
export const resourcePolicy = definePolicy('resource', {
  read: 'viewer',
  resync: 'editor',
});
