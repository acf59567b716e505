import { definePolicy } from '../../core/access/policy.js';

export const policyPolicy = definePolicy(
  'policy',
  { read: 'viewer', create: 'admin', try: 'admin', update: 'admin', delete: 'admin' },
  'workspace',
);
