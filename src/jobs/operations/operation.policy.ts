import { definePolicy } from '../../core/access/policy.js';

/** For who asked for it, while they belong to its organization, and for the admins of that organization. */
export const operationPolicy = definePolicy('operation', {
  read: 'member',
  cancel: { needs: 'member', scope: 'write' },
});
