import { definePolicy } from '../../core/access/policy.js';

/** Everyone may have tokens of their own. Only a token with every scope creates others, so that a narrow one cannot extend itself. */
export const tokenPolicy = definePolicy('token', {
  read: { needs: 'none', scope: 'read' },
  create: { needs: 'none', scope: 'admin' },
  revoke: { needs: 'none', scope: 'admin' },
});
