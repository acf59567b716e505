import { definePolicy } from '../../core/access/policy.js';

/** Everyone has tokens of their own. Only a token with every scope makes others, so that a narrow one cannot outlive itself. */
export const tokenPolicy = definePolicy('token', {
  read: { needs: 'none', scope: 'read' },
  create: { needs: 'none', scope: 'admin' },
  revoke: { needs: 'none', scope: 'admin' },
});
