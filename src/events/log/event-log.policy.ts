import { definePolicy } from '../../core/access/policy.js';

/** The log of an organization's events as a whole. */
export const eventLogPolicy = definePolicy('event_log', {
  export: { needs: 'owner', scope: 'read' },
  purge: 'owner',
  erase: 'owner',
});
