import { createHash } from 'node:crypto';
import type { WebhookMessage } from '../formats/webhook-message.js';

const DIGEST_LENGTH = 16;

/** What a delivery was last sent as, as its log shows it. */
export interface SentMessage {
  id: string;
  body: string;
}

/**
 * The `webhook-id`: that of the event, over all attempts. When the body is another one than was last sent, such as in another
 * format, it is another message: receivers that have processed the event would drop it as a repeat.
 */
export function messageIdOf({ id }: Pick<WebhookMessage, 'id'>, body: string, lastSent: SentMessage | null): string {
  if (!lastSent) return id;
  if (lastSent.body === body) return lastSent.id;
  return `${id}-${createHash('sha256').update(body).digest('hex').slice(0, DIGEST_LENGTH)}`;
}
