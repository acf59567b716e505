import { definePolicy } from '../../core/access/policy.js';

/** Users manage their own notifications and settings, which requires no role. */
export const notificationPolicy = definePolicy('notification', {
  read: { needs: 'none', scope: 'read' },
  mark: { needs: 'none', scope: 'write' },
  updateSettings: { needs: 'none', scope: 'write' },
});
