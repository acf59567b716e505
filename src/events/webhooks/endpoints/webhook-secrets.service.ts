import { Injectable } from '@nestjs/common';
import { Vault } from '../../../core/crypto/vault.service.js';
import type { Webhook } from './webhook.entity.js';

/** What an endpoint keeps sealed. */
export interface WebhookSecrets {
  /** The current secret, then the one before while it is valid. */
  signing: { secret: string; expiresAt?: string }[];
  headers: Record<string, string>;
  /** The integration key of PagerDuty. */
  routingKey?: string;
}

/** Secrets of endpoints, sealed for the table and opened for sending only. */
@Injectable()
export class WebhookSecretsService {
  constructor(private readonly vault: Vault) {}

  seal({ id, organizationId }: Webhook, secrets: WebhookSecrets): Promise<Buffer> {
    return this.vault.seal(organizationId, JSON.stringify(secrets), sealContext(id));
  }

  async open({ id, secrets }: Pick<Webhook, 'id' | 'secrets'>): Promise<WebhookSecrets> {
    return JSON.parse((await this.vault.open(secrets, sealContext(id))).toString()) as WebhookSecrets;
  }
}

/** What the sealed value is bound to; the rotation of keys knows it as well. */
const sealContext = (id: string): string => `webhook ${id}`;
