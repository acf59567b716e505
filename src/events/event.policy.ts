import { definePolicy } from '../core/access/policy.js';

/** Who may read which event is decided by `event-readers`; marks are everyone's own. */
export const eventPolicy = definePolicy('event', {
  read: 'member',
  mark: { needs: 'member', scope: 'write' },
});
