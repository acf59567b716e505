import { definePolicy } from '../../core/access/policy.js';

/** What people do with accounts; no role in an organization is asked, for an account belongs to none. */
export const userPolicy = definePolicy('user', {
  readProfile: { needs: 'none', scope: 'read' },
  updateProfile: { needs: 'none', scope: 'write' },
  changePassword: { needs: 'none', scope: 'admin' },
  acceptInvitation: { needs: 'none', scope: 'admin' },
  administer: { needs: 'none', scope: 'admin', installation: true },
});
