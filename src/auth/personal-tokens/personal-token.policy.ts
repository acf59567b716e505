import { definePolicy } from '../../core/access/policy.js';

/** Users may have tokens of their own. Only a token with all scopes may create others, so that a restricted one cannot extend itself. */
export const tokenPolicy = definePolicy('token', {
  read: { needs: 'none', scope: 'read' },
  create: { needs: 'none', scope: 'admin' },
  revoke: { needs: 'none', scope: 'admin' },
});
