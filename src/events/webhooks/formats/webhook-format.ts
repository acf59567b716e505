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

/** What a format needs to know besides the event. */
export interface FormatContext {
  /** The address of this server. */
  source: string;
  routingKey?: string;
}

/** Writes an event in a format. The result depends on its arguments only: every attempt sends the same. */
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
