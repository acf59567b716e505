import { definePolicy } from '../core/access/policy.js';

/** What a caller finds, and what needs attention, is of the records that they see. */
export const searchPolicy = definePolicy('search', { read: { needs: 'none', scope: 'read' } });
export const attentionPolicy = definePolicy('attention', { read: { needs: 'none', scope: 'read' } });

/** Users manage their own favourites, which requires no role. */
export const favouritePolicy = definePolicy('favourite', {
  read: { needs: 'none', scope: 'read' },
  update: { needs: 'none', scope: 'write' },
});
