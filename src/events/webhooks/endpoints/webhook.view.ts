import { type Severity, SEVERITIES } from '../../../core/events/domain-event.js';
import { PaginatedView } from '../../../core/listing/page.js';
import { RecordView } from '../../../core/schema/record.view.js';
import {
  FlagField,
  IdField,
  IntField,
  TextField,
  TextsField,
  TimeField,
  WordField,
} from '../../../core/schema/view-fields.js';
import { type WebhookFormat, WEBHOOK_FORMATS } from '../formats/webhook-format.js';
import { DISABLED_REASONS, type DisabledReason, maskEndpoint, type Webhook } from './webhook.entity.js';

const REST = { rest: true } as const;

/** An endpoint without its secrets. */
export class WebhookView extends RecordView {
  @TextField({
    ...REST,
    description: 'Where events are sent; user info, the query and what looks like a key in the path are masked.',
  })
  url!: string;

  @TextField(REST)
  description!: string;

  @TextsField({ ...REST, description: 'Kinds of events that are sent.' })
  events!: string[];

  @TextsField({ ...REST, description: `Only events of these severities (${SEVERITIES.join(', ')}); all when empty.` })
  severities!: Severity[];

  @WordField(WEBHOOK_FORMATS, { ...REST, description: 'How events are written.' })
  format!: WebhookFormat;

  @FlagField({ ...REST, description: 'Whether events are sent.' })
  enabled!: boolean;

  @TextsField({ ...REST, description: 'The names of the custom headers.' })
  header_names!: string[];

  @IdField(REST)
  organization_id!: string;

  @IdField({ ...REST, nullable: true })
  workspace_id!: string | null;

  @IdField(REST)
  owner!: string;

  @TimeField({
    ...REST,
    nullable: true,
    description: 'Until then deliveries are also signed with the previous secret.',
  })
  previous_secret_expires_at!: Date | null;

  @TimeField({ ...REST, nullable: true, description: 'Since when every attempt has failed.' })
  failing_since!: Date | null;

  @TimeField({ ...REST, nullable: true, description: 'When the server disabled it.' })
  disabled_at!: Date | null;

  @WordField(DISABLED_REASONS, { ...REST, nullable: true, description: 'Why the server disabled it.' })
  disabled_reason!: DisabledReason | null;

  static fromEntity(this: void, webhook: Webhook): WebhookView {
    return WebhookView.assignWebhook(new WebhookView(), webhook);
  }

  protected static assignWebhook<V extends WebhookView>(view: V, webhook: Webhook): V {
    RecordView.assignRecord<WebhookView>(view, webhook, {
      url: maskEndpoint(webhook.url),
      description: webhook.description,
      events: webhook.events,
      severities: webhook.severities,
      format: webhook.format,
      enabled: webhook.enabled,
      header_names: webhook.headerNames,
      organization_id: webhook.organizationId,
      workspace_id: webhook.workspaceId,
      owner: webhook.owner,
      previous_secret_expires_at: webhook.previousSecretExpiresAt,
      failing_since: webhook.failingSince,
      disabled_at: webhook.disabledAt,
      disabled_reason: webhook.disabledReason,
    });
    return view;
  }
}

/** An endpoint with its signing secret, which is shown once. */
export class WebhookSecretView extends WebhookView {
  @TextField({ ...REST, description: 'The secret that deliveries are signed with. It is not shown again.' })
  secret!: string;

  static fromSecret(this: void, { webhook, secret, url }: WebhookWithSecret): WebhookSecretView {
    return Object.assign(WebhookView.assignWebhook(new WebhookSecretView(), webhook), { secret, ...(url && { url }) });
  }
}

export interface WebhookWithSecret {
  webhook: Webhook;
  secret: string;
  /** Of a new endpoint: its URL as it was sent. */
  url?: string;
}

export const WebhookPage = PaginatedView(WebhookView, 'webhooks', 'WebhookPage');

/** The result of a recovery. */
export class RecoveryView {
  @IntField({ ...REST, description: 'How many deliveries are sent again.' })
  recovered!: number;
}
