import { definePolicy } from '../../../core/access/policy.js';

/** Addresses of chat systems are secrets in themselves, so only admins read endpoints. */
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
