import { definePolicy } from '../../core/access/policy.js';

/** Operations on accounts; they need no role in an organization, because an account belongs to none. */
export const userPolicy = definePolicy('user', {
  readProfile: { needs: 'none', scope: 'read' },
  updateProfile: { needs: 'none', scope: 'write' },
  changePassword: { needs: 'none', scope: 'admin' },
  linkAccount: { needs: 'none', scope: 'admin' },
  unlinkAccount: { needs: 'none', scope: 'admin' },
  acceptInvitation: { needs: 'none', scope: 'admin' },
  administer: { needs: 'none', scope: 'admin', installation: true },
});
