import type { Severity } from '../../../core/events/domain-event.js';
import { jsonBody, kindOf, messageData, truncate, type WebhookBody, type WebhookMessage } from './webhook-message.js';

const MAX_SUMMARY = 1_024;
const DEPLOYMENT = 'deployment';

const SEVERITIES: Partial<Record<Severity, string>> = {
  warning: 'warning',
  error: 'error',
  critical: 'critical',
  alert: 'critical',
  emergency: 'critical',
};

/**
 * Formats an event of the Events API v2. Severities from warning on trigger the alert of the record; a later event of the record with a
 * lower severity resolves it. The deployments of a design to an environment share an alert, because a failed deployment has no later
 * event: the next deployment acknowledges the alert when it starts and resolves it when it succeeds.
 */
export function toPagerDutyEvent(message: WebhookMessage, source: string, routingKey: string): WebhookBody {
  const severity = SEVERITIES[message.severity];
  const alert = { routing_key: routingKey, dedup_key: dedupKeyOf(message) };
  if (!severity) return jsonBody({ ...alert, event_action: isUnderWay(message) ? 'acknowledge' : 'resolve' });
  return jsonBody({
    ...alert,
    event_action: 'trigger',
    client: 'Armature',
    client_url: source,
    payload: {
      summary: truncate(message.description, MAX_SUMMARY),
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

function dedupKeyOf({ category, actedUpon, metadata }: WebhookMessage): string {
  if (category !== DEPLOYMENT) return `${category}:${actedUpon}`;
  return [category, metadata['design_id'], metadata['environment_id']].map((part) => String(part)).join(':');
}

const isUnderWay = ({ category, severity }: WebhookMessage): boolean =>
  category === DEPLOYMENT && severity !== 'success';
