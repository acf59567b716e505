import { definePolicy } from '../../../core/access/policy.js';

/** Only admins read endpoints, because webhook URLs of chat systems are secrets. */
export const workspaceWebhookPolicy = definePolicy(
  'webhook',
  {
    read: { needs: 'admin', scope: 'read' },
    create: 'admin',
    update: 'admin',
    rotate: 'admin',
    delete: 'admin',
    send: 'admin',
  },
  'workspace',
);

export const organizationWebhookPolicy = definePolicy('organization_webhook', {
  read: { needs: 'organization_admin', scope: 'read' },
  create: 'organization_admin',
  update: 'organization_admin',
  rotate: 'organization_admin',
  delete: 'organization_admin',
  send: 'organization_admin',
});

export type WebhookPolicy = typeof workspaceWebhookPolicy | typeof organizationWebhookPolicy;
export type WebhookOperation = keyof typeof workspaceWebhookPolicy;
