import { definePolicy } from '../../core/access/policy.js';

/** Roles refer to the workspace of the profile. */
export const performancePolicy = definePolicy(
  'performance',
  { read: 'viewer', create: 'editor', update: 'editor', run: 'editor', cancel: 'editor', delete: 'admin' },
  'workspace',
);
