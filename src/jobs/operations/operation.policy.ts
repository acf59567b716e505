import { definePolicy } from '../../core/access/policy.js';

/** For the requester, while a member of its organization, and for the admins of that organization. */
export const operationPolicy = definePolicy('operation', {
  read: 'member',
  cancel: { needs: 'member', scope: 'write' },
});
