import { definePolicy } from '../../core/access/policy.js';

/** The audit of an organization. */
export const auditPolicy = definePolicy('audit', {
  read: { needs: 'organization_admin', scope: 'read' },
  erase: 'owner',
});

/** The audit of records outside of organizations. */
export const installationAuditPolicy = definePolicy('installation_audit', {
  read: { needs: 'none', scope: 'admin', installation: true },
  erase: { needs: 'none', scope: 'admin', installation: true },
});
