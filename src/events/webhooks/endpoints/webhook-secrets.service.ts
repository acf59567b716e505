import { timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { hashSecretToken } from '../../../core/crypto/secret-token.js';
import { Vault } from '../../../core/crypto/vault.service.js';
import { InvalidRequest } from '../../../core/errors/app-error.js';
import { definedFields, nullToEmpty } from '../../../core/rest/read-only-fields.js';
import type { WebhookFormat } from '../formats/webhook-format.js';
import { maskEndpoint, type Webhook } from './webhook.entity.js';
import type { NewWebhook, WebhookChange } from './webhook.inputs.js';

/** The encrypted secrets of an endpoint. */
export interface WebhookSecrets {
  /** The current secret, then the previous one while it is valid. */
  signing: { secret: string; expiresAt?: string }[];
  headers: Record<string, string>;
  /** The integration key of PagerDuty. */
  routingKey?: string;
  /** The whole URL, when a part of it is masked in the record. */
  url?: string;
}

type SealedColumns = Pick<Webhook, 'secrets' | 'headerNames' | 'url'>;

/** The URL that events are sent to. */
export const endpointOf = (webhook: Pick<Webhook, 'url'>, secrets: WebhookSecrets): string =>
  secrets.url ?? webhook.url;

/** Encrypts the secrets of endpoints for storage, and decrypts them for sending only. */
@Injectable()
export class WebhookSecretsService {
  constructor(private readonly vault: Vault) {}

  /** Encrypts the secrets of a new endpoint. @returns the columns */
  async make(webhook: Webhook, secret: string, input: NewWebhook): Promise<SealedColumns> {
    const { headers = {}, routingKey } = sealedFieldsOf(input);
    assertRoutingKey(webhook, { routingKey });
    return this.toColumns(input.url, { signing: [{ secret }], headers, routingKey }, webhook);
  }

  /** Applies a change. @returns the changed columns, if any, and whether the URL is another */
  async change(webhook: Webhook, input: WebhookChange): Promise<Partial<SealedColumns> & { isMoved?: boolean }> {
    const { format } = input;
    const { headers, routingKey } = sealedFieldsOf(input);
    const isSameUrl = input.url === undefined || input.url === maskEndpoint(webhook.url);
    if (isSameUrl && headers === undefined && routingKey === undefined && format === undefined) return {};
    const stored = await this.open(webhook);
    const current = endpointOf(webhook, stored);
    const url = isSameUrl ? current : (input.url ?? current);
    const isElsewhere = placeOf(url) !== placeOf(current);
    const kept = isElsewhere ? withoutSecrets(stored, input, format ?? webhook.format) : stored;
    const secrets: WebhookSecrets = { ...kept, ...definedFields({ headers, routingKey }) };
    assertRoutingKey({ format: format ?? webhook.format }, secrets);
    if (url === current && isDeepStrictEqual(secrets, stored)) return {};
    return { ...(await this.toColumns(url, secrets, webhook)), isMoved: url !== current };
  }

  /**
   * Returns the sent secret when it is the current one, otherwise null. Callers may rotate the secret, so that this reveals nothing more
   * to them. Compares in constant time.
   */
  async confirmCurrent(webhook: Webhook, sent: unknown): Promise<string | null> {
    if (typeof sent !== 'string') return null;
    const [current] = (await this.open(webhook)).signing;
    return current && timingSafeEqual(hashSecretToken(sent), hashSecretToken(current.secret)) ? sent : null;
  }

  private async toColumns(whole: string, secrets: WebhookSecrets, webhook: Webhook): Promise<SealedColumns> {
    const { url: _url, ...others } = secrets;
    const url = maskEndpoint(whole);
    const sealed = await this.seal(webhook, url === whole ? others : { ...others, url: whole });
    return { secrets: sealed, headerNames: Object.keys(secrets.headers), url };
  }

  seal({ id, organizationId }: Webhook, secrets: WebhookSecrets): Promise<Buffer> {
    return this.vault.seal(organizationId, JSON.stringify(secrets), sealContext(id));
  }

  async open({ id, secrets }: Pick<Webhook, 'id' | 'secrets'>): Promise<WebhookSecrets> {
    return JSON.parse((await this.vault.open(secrets, sealContext(id))).toString()) as WebhookSecrets;
  }
}

/** The context of the encryption; the rotation of keys uses the same. */
const sealContext = (id: string): string => `webhook ${id}`;

/** The secrets of an input, without the cleared ones. */
const sealedFieldsOf = ({ headers, routing_key: routingKey }: WebhookChange) => ({
  headers: nullToEmpty(headers, {}),
  routingKey: nullToEmpty(routingKey, ''),
});

function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Requires secrets to be sent again with a URL of another place; otherwise a user could send stored secrets to a place of their choice. */
function withoutSecrets(kept: WebhookSecrets, change: WebhookChange, format: WebhookFormat): WebhookSecrets {
  if (change.headers === undefined && Object.keys(kept.headers).length > 0)
    throw InvalidRequest.secretRequired(
      '/headers',
      'must be sent with its values, since the url leads to another server or path',
      'Send headers with the values, or {} to leave them out.',
    );
  if (change.routing_key === undefined && kept.routingKey && format === 'pagerduty')
    throw InvalidRequest.secretRequired(
      '/routing_key',
      'must be sent again, since the url leads to another server or path',
      'Send routing_key with its value, or another format.',
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
