import { definePolicy } from '../../core/access/policy.js';

/** Notifications and their settings are everyone's own; no role is asked. */
export const notificationPolicy = definePolicy('notification', {
  read: { needs: 'none', scope: 'read' },
  mark: { needs: 'none', scope: 'write' },
  updateSettings: { needs: 'none', scope: 'write' },
});
