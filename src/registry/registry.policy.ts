import { definePolicy } from '../core/access/policy.js';

/** One registry for the installation: everyone reads it, its administrators write it. */
export const registryPolicy = definePolicy('registry', {
  read: { needs: 'none', scope: 'read' },
  validate: { needs: 'none', scope: 'read' },
  register: { needs: 'none', scope: 'admin', installation: true },
  generate: { needs: 'none', scope: 'admin', installation: true },
  setStatus: { needs: 'none', scope: 'admin', installation: true },
  delete: { needs: 'none', scope: 'admin', installation: true },
});
