import { definePolicy } from '../core/access/policy.js';

/** `event-readers` decides who may read an event; users only change their own marks. */
export const eventPolicy = definePolicy('event', {
  read: 'member',
  mark: { needs: 'member', scope: 'write' },
});
