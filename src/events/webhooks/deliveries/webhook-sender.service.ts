import { Injectable } from '@nestjs/common';
import { Env } from '../../../core/config/env.js';
import { AppError } from '../../../core/errors/app-error.js';
import { Outbound } from '../../../core/outbound/outbound.service.js';
import { secretsInUrl } from '../../../core/json/url-secrets.js';
import { redactSecrets } from '../../../core/outbound/redact-secrets.js';
import { messageIdOf, type SentMessage } from './message-id.js';
import { signatureHeaders } from '../endpoints/signing-secret.js';
import { endpointOf, type WebhookSecrets } from '../endpoints/webhook-secrets.service.js';
import { maskEndpoint, type Webhook } from '../endpoints/webhook.entity.js';
import { formatMessage } from '../formats/webhook-format.js';
import type { WebhookMessage } from '../formats/webhook-message.js';
import type { DeliveryAttempt, SentRequest } from './webhook-delivery.entity.js';
import { parseRetryAfter, WebhookSettings } from './webhook-settings.js';

const MAX_ANSWER_BYTES = 16 * 1024;
const MAX_LOGGED_BODY = 1_024;
const MAX_LOGGED_HEADERS = 30;
const MAX_LOGGED_VALUE = 500;
const HIDDEN = '•••';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Response headers that may contain credentials. */
const PRIVATE_ANSWER_HEADER = /^(set-cookie|authorization|proxy-|www-)/;

/** The result of one attempt. */
export interface SendResult {
  request: SentRequest;
  attempt: DeliveryAttempt;
  succeeded: boolean;
  /** The receiver responded 410 Gone. */
  gone: boolean;
  retryAfterMs?: number;
}

/** Sends one event to one endpoint, once. The logged response is redacted: it may repeat the endpoint's secrets. */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly outbound: Outbound,
    private readonly settings: WebhookSettings,
    private readonly env: Env,
  ) {}

  /** @throws only the reason of `signal` when it is aborted */
  async send(
    webhook: Webhook,
    secrets: WebhookSecrets,
    message: WebhookMessage,
    lastSent: SentMessage | null,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const { body, headers } = formatMessage(webhook.format, message, {
      source: this.env.baseUrl,
      routingKey: secrets.routingKey,
    });
    const shownBody = hideKey(body, secrets.routingKey);
    const at = new Date();
    const signing = secrets.signing.filter(({ expiresAt }) => !expiresAt || new Date(expiresAt) > at);
    const own = {
      ...headers,
      ...signatureHeaders(
        messageIdOf(message, shownBody, lastSent),
        at,
        body,
        signing.map(({ secret }) => secret),
      ),
      'user-agent': 'Armature-Webhooks/1.0',
    };
    const hidden = Object.fromEntries(Object.keys(secrets.headers).map((name) => [name, HIDDEN]));
    const url = endpointOf(webhook, secrets);
    const request = { url: maskEndpoint(url), headers: { ...hidden, ...own }, body: shownBody };
    const started = performance.now();
    const outcome = await this.post(url, { ...secrets.headers, ...own }, body, signal);
    const { status, error, answerHeaders, text } = outcome;
    const { headers: sealed, routingKey } = secrets;
    const keys = secretsInUrl(url, { path: true });
    const redact = (said: string): string => redactSecrets(said, { sealed, routingKey, keys });
    const attempt = {
      at: at.toISOString(),
      duration_ms: Math.round(performance.now() - started),
      status,
      error: error && redact(error),
      response_headers: toLoggedHeaders(answerHeaders, redact),
      response_body: redact(text).slice(0, MAX_LOGGED_BODY),
    };
    return {
      request,
      attempt,
      succeeded: error === null,
      gone: status === 410,
      retryAfterMs: parseRetryAfter(answerHeaders['retry-after'], new Date()),
    };
  }

  private async post(url: string, headers: Record<string, string>, body: string, signal: AbortSignal) {
    try {
      const answer = await this.outbound.fetch(url, {
        policy: 'webhook',
        method: 'POST',
        headers,
        body,
        signal,
        redirects: 0,
        timeoutMs: this.settings.timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
        truncate: true,
      });
      const { status, bytes } = answer;
      const error = status >= 200 && status < 300 ? null : describeStatus(status);
      return { status, error, answerHeaders: answer.headers, text: bytes.toString('utf8') };
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error;
      return { status: null, error: error.message, answerHeaders: {} as Record<string, string>, text: '' };
    }
  }
}

function describeStatus(status: number): string {
  if (REDIRECTS.has(status)) return `the endpoint answered ${status}: redirects are not followed`;
  return `the endpoint answered ${status}`;
}

const hideKey = (body: string, key: string | undefined): string => (key ? body.replaceAll(key, HIDDEN) : body);

const toLoggedHeaders = (headers: Record<string, string>, redact: (said: string) => string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !PRIVATE_ANSWER_HEADER.test(name))
      .slice(0, MAX_LOGGED_HEADERS)
      .map(([name, value]) => [name, redact(value).slice(0, MAX_LOGGED_VALUE)]),
  );
