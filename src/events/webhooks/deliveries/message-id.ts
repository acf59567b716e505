import { createHash } from 'node:crypto';
import type { WebhookMessage } from '../formats/webhook-message.js';

const DIGEST_LENGTH = 16;

/** The last request of a delivery, from its log. */
export interface SentMessage {
  id: string;
  body: string;
}

/**
 * Returns the `webhook-id`: the id of the event, the same for all attempts. A body that differs from the last one, such as after a change
 * of the format, is a new message with a new id, because receivers would drop it as a duplicate.
 */
export function messageIdOf({ id }: Pick<WebhookMessage, 'id'>, body: string, lastSent: SentMessage | null): string {
  if (!lastSent) return id;
  if (lastSent.body === body) return lastSent.id;
  return `${id}-${createHash('sha256').update(body).digest('hex').slice(0, DIGEST_LENGTH)}`;
}
