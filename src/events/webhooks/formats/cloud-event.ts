import { jsonBody, kindOf, messageData, type WebhookBody, type WebhookMessage } from './webhook-message.js';

/** The extension `sequence` is compared as a string, so it is padded to the length of the largest `bigint`. */
const SEQUENCE_DIGITS = 19;

/** The attributes of CloudEvents 1.0, with the extension `sequence` and the severity. */
const attributesOf = (message: WebhookMessage, source: string): Record<string, string> => ({
  specversion: '1.0',
  id: message.id,
  source: `${source}/api/identity/orgs/${message.organizationId}`,
  type: `armature.${kindOf(message)}`,
  subject: message.actedUpon,
  time: message.createdAt.toISOString(),
  severity: message.severity,
  ...(message.sequence === null ? {} : { sequence: message.sequence.padStart(SEQUENCE_DIGITS, '0') }),
});

/** Attributes and data in one JSON document. */
export const toStructuredCloudEvent = (message: WebhookMessage, source: string): WebhookBody =>
  jsonBody(
    { ...attributesOf(message, source), datacontenttype: 'application/json', data: messageData(message) },
    'application/cloudevents+json',
  );

/** Attributes as headers, data as the body. */
export function toBinaryCloudEvent(message: WebhookMessage, source: string): WebhookBody {
  const attributes = Object.entries(attributesOf(message, source));
  const { headers, body } = jsonBody(messageData(message));
  return {
    headers: { ...headers, ...Object.fromEntries(attributes.map(([name, value]) => [`ce-${name}`, value])) },
    body,
  };
}
