import { timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { hashSecretToken } from '../../../core/crypto/secret-token.js';
import { Vault } from '../../../core/crypto/vault.service.js';
import { InvalidRequest } from '../../../core/errors/app-error.js';
import { definedFields, nullToEmpty } from '../../../core/rest/read-only-fields.js';
import type { Webhook } from './webhook.entity.js';
import type { NewWebhook, WebhookChange } from './webhook.inputs.js';

/** What an endpoint keeps sealed. */
export interface WebhookSecrets {
  /** The current secret, then the one before while it is valid. */
  signing: { secret: string; expiresAt?: string }[];
  headers: Record<string, string>;
  /** The integration key of PagerDuty. */
  routingKey?: string;
}

type SealedColumns = Pick<Webhook, 'secrets' | 'headerNames'>;

/** Secrets of endpoints, sealed for the table and opened for sending only. */
@Injectable()
export class WebhookSecretsService {
  constructor(private readonly vault: Vault) {}

  /** Those of a new endpoint, as its columns. */
  async make(webhook: Webhook, secret: string, input: NewWebhook): Promise<SealedColumns> {
    const { headers = {}, routingKey } = sealedFieldsOf(input);
    assertRoutingKey(webhook, { routingKey });
    return this.toColumns(webhook, { signing: [{ secret }], headers, routingKey });
  }

  /** The columns that a change sets, if any. */
  async change(webhook: Webhook, input: WebhookChange): Promise<Partial<SealedColumns>> {
    const { url, format } = input;
    const { headers, routingKey } = sealedFieldsOf(input);
    const isElsewhere = leadsElsewhere(webhook, url);
    if (!isElsewhere && headers === undefined && routingKey === undefined && format === undefined) return {};
    const stored = await this.open(webhook);
    const kept = isElsewhere ? withoutSecrets(stored, input) : stored;
    const secrets: WebhookSecrets = { ...kept, ...definedFields({ headers, routingKey }) };
    assertRoutingKey({ format: format ?? webhook.format }, secrets);
    if (isDeepStrictEqual(secrets, stored)) return {};
    return this.toColumns(webhook, secrets);
  }

  /**
   * A secret that was sent, when it is the current one; null otherwise. Who asks may also rotate the secret, and so
   * learns nothing more; the time that it takes does not depend on the secret.
   */
  async confirmCurrent(webhook: Webhook, sent: unknown): Promise<string | null> {
    if (typeof sent !== 'string') return null;
    const [current] = (await this.open(webhook)).signing;
    return current && timingSafeEqual(hashSecretToken(sent), hashSecretToken(current.secret)) ? sent : null;
  }

  private async toColumns(webhook: Webhook, secrets: WebhookSecrets): Promise<SealedColumns> {
    return { secrets: await this.seal(webhook, secrets), headerNames: Object.keys(secrets.headers) };
  }

  seal({ id, organizationId }: Webhook, secrets: WebhookSecrets): Promise<Buffer> {
    return this.vault.seal(organizationId, JSON.stringify(secrets), sealContext(id));
  }

  async open({ id, secrets }: Pick<Webhook, 'id' | 'secrets'>): Promise<WebhookSecrets> {
    return JSON.parse((await this.vault.open(secrets, sealContext(id))).toString()) as WebhookSecrets;
  }
}

/** What the sealed value is bound to; the rotation of keys knows it as well. */
const sealContext = (id: string): string => `webhook ${id}`;

/** What is to be sealed; empty where it is cleared. */
const sealedFieldsOf = ({ headers, routing_key: routingKey }: WebhookChange) => ({
  headers: nullToEmpty(headers, {}),
  routingKey: nullToEmpty(routingKey, ''),
});

const leadsElsewhere = (webhook: Webhook, url = webhook.url): boolean =>
  new URL(url).origin !== new URL(webhook.url).origin;

/** Secrets go to another server only when they are sent again: otherwise a user who changes the server would receive them there. */
function withoutSecrets(kept: WebhookSecrets, { headers }: WebhookChange): WebhookSecrets {
  if (headers === undefined && Object.keys(kept.headers).length > 0)
    throw InvalidRequest.forField(
      '/headers',
      'must be sent with its values, since the url is on another server',
      'Send headers with the values, or {} to leave them out.',
    );
  return { signing: kept.signing, headers: {} };
}

function assertRoutingKey({ format }: Pick<Webhook, 'format'>, { routingKey }: Pick<WebhookSecrets, 'routingKey'>) {
  if (format === 'pagerduty' && !routingKey)
    throw InvalidRequest.forField(
      '/routing_key',
      'is required for the format pagerduty',
      'Send the integration key of an Events API v2 integration as routing_key.',
    );
}
