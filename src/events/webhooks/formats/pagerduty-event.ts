import type { Severity } from '../../../core/events/domain-event.js';
import { jsonBody, kindOf, messageData, type WebhookBody, type WebhookMessage } from './webhook-message.js';

const MAX_SUMMARY = 1_024;

const SEVERITIES: Partial<Record<Severity, string>> = {
  warning: 'warning',
  error: 'error',
  critical: 'critical',
  alert: 'critical',
  emergency: 'critical',
};

/**
 * An alert of the Events API v2. What is at least a warning triggers the alert of its record; any later event of the
 * same record that is not resolves it.
 */
export function toPagerDutyEvent(message: WebhookMessage, source: string, routingKey: string): WebhookBody {
  const severity = SEVERITIES[message.severity];
  const alert = { routing_key: routingKey, dedup_key: `${message.category}:${message.actedUpon}` };
  if (!severity) return jsonBody({ ...alert, event_action: 'resolve' });
  return jsonBody({
    ...alert,
    event_action: 'trigger',
    client: 'Armature',
    client_url: source,
    payload: {
      summary: message.description.slice(0, MAX_SUMMARY),
      source,
      severity,
      timestamp: message.createdAt.toISOString(),
      component: message.actedUpon,
      group: message.workspaceId ?? message.organizationId,
      class: kindOf(message),
      custom_details: messageData(message),
    },
  });
}
