import type { Severity } from '../../../core/events/domain-event.js';

/** The content of a delivery: an event or a test. */
export interface WebhookMessage {
  id: string;
  sequence: string | null;
  organizationId: string;
  workspaceId: string | null;
  userId: string | null;
  actedUpon: string;
  operationId: string | null;
  category: string;
  action: string;
  severity: Severity;
  description: string;
  metadata: Record<string, unknown>;
  createdAt: Date;
}

/** A request body with the headers that describe it. */
export interface WebhookBody {
  headers: Record<string, string>;
  body: string;
}

export const kindOf = ({ category, action }: Pick<WebhookMessage, 'category' | 'action'>): string =>
  `${category}.${action}`;

/** Returns the event with the field names of the API. */
export const messageData = (message: WebhookMessage): Record<string, unknown> => ({
  id: message.id,
  sequence: message.sequence,
  organization_id: message.organizationId,
  workspace_id: message.workspaceId,
  user_id: message.userId,
  acted_upon: message.actedUpon,
  operation_id: message.operationId,
  category: message.category,
  action: message.action,
  severity: message.severity,
  description: message.description,
  metadata: message.metadata,
  created_at: message.createdAt.toISOString(),
});

export const jsonBody = (value: object, contentType = 'application/json'): WebhookBody => ({
  headers: { 'content-type': contentType },
  body: JSON.stringify(value),
});

/** Truncates a text to a number of UTF-16 code units, with an ellipsis; surrogate pairs stay whole. */
export const truncate = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
