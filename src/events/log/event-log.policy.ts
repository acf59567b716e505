import { definePolicy } from '../../core/access/policy.js';

/** Export, purge and erasure of an organization's events. */
export const eventLogPolicy = definePolicy('event_log', {
  export: { needs: 'owner', scope: 'read' },
  purge: 'owner',
  erase: 'owner',
});
