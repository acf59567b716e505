import { toBinaryCloudEvent, toStructuredCloudEvent } from './cloud-event.js';
import { toMattermostMessage, toSlackMessage, toTeamsMessage } from './chat-messages.js';
import { toPagerDutyEvent } from './pagerduty-event.js';
import { jsonBody, kindOf, messageData, type WebhookBody, type WebhookMessage } from './webhook-message.js';

export const WEBHOOK_FORMATS = [
  'standard',
  'cloudevents',
  'cloudevents_binary',
  'slack',
  'teams',
  'mattermost',
  'pagerduty',
] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** The input of a format besides the event. */
export interface FormatContext {
  /** The URL of this server. */
  source: string;
  routingKey?: string;
}

/** Formats an event. A pure function, so that every attempt sends the same body. */
export function formatMessage(format: WebhookFormat, message: WebhookMessage, context: FormatContext): WebhookBody {
  switch (format) {
    case 'standard':
      return jsonBody({
        type: kindOf(message),
        timestamp: message.createdAt.toISOString(),
        data: messageData(message),
      });
    case 'cloudevents':
      return toStructuredCloudEvent(message, context.source);
    case 'cloudevents_binary':
      return toBinaryCloudEvent(message, context.source);
    case 'slack':
      return toSlackMessage(message);
    case 'teams':
      return toTeamsMessage(message);
    case 'mattermost':
      return toMattermostMessage(message);
    case 'pagerduty':
      return toPagerDutyEvent(message, context.source, context.routingKey ?? '');
  }
}
