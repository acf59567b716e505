import { PaginatedView } from '../../../core/listing/page.js';
import {
  IdField,
  IntField,
  MapField,
  MapsField,
  TextField,
  TextMapField,
  TimeField,
  WordField,
} from '../../../core/schema/view-fields.js';
import {
  type DeliveryAttempt,
  type DeliveryStatus,
  DELIVERY_STATUSES,
  type SentRequest,
  type WebhookDelivery,
} from './webhook-delivery.entity.js';

const REST = { rest: true } as const;

/** What was sent. */
export class SentRequestView implements SentRequest {
  @TextField({ ...REST, description: 'The address, without what may be a secret.' })
  url!: string;

  @TextMapField(REST)
  headers!: Record<string, string>;

  @TextField(REST)
  body!: string;
}

/** One attempt to deliver. */
export class DeliveryAttemptView implements DeliveryAttempt {
  @TextField({ ...REST, description: 'When it was sent.' })
  at!: string;

  @IntField({ ...REST, description: 'How long it took, in milliseconds.' })
  duration_ms!: number;

  @IntField({ ...REST, nullable: true, description: 'The status of the response; null without one.' })
  status!: number | null;

  @TextField({ ...REST, nullable: true, description: 'Why it failed.' })
  error!: string | null;

  @TextMapField({ ...REST, description: 'Headers of the response.' })
  response_headers!: Record<string, string>;

  @TextField({ ...REST, description: 'The beginning of the response.' })
  response_body!: string;
}

/** The delivery of an event to an endpoint, with the log of its attempts. */
export class WebhookDeliveryView {
  @IdField(REST)
  id!: string;

  @IdField(REST)
  webhook_id!: string;

  @IdField({ ...REST, nullable: true, description: 'The event; null for a test.' })
  event_id!: string | null;

  @TextField({ ...REST, description: 'The kind of the event.' })
  kind!: string;

  @WordField(DELIVERY_STATUSES, REST)
  status!: DeliveryStatus;

  @IntField({ ...REST, description: 'How many attempts failed since it was last queued.' })
  failures!: number;

  @TimeField({ ...REST, nullable: true, description: 'When it is sent next.' })
  next_attempt_at!: Date | null;

  @MapField({
    ...REST,
    of: () => SentRequestView,
    nullable: true,
    description: 'The last request, without the values of custom headers.',
  })
  request!: SentRequest | null;

  @MapsField({ ...REST, of: () => DeliveryAttemptView, description: 'Each time that it was sent.' })
  attempts!: DeliveryAttempt[];

  @TimeField(REST)
  created_at!: Date;

  @TimeField(REST)
  updated_at!: Date;

  static fromEntity(this: void, delivery: WebhookDelivery): WebhookDeliveryView {
    const pending = delivery.status === 'pending';
    return Object.assign(new WebhookDeliveryView(), {
      id: delivery.id,
      webhook_id: delivery.webhookId,
      event_id: delivery.eventId,
      kind: delivery.kind,
      status: delivery.status,
      failures: delivery.failures,
      next_attempt_at: pending ? delivery.nextAttemptAt : null,
      request: delivery.request ?? null,
      attempts: delivery.attempts,
      created_at: delivery.createdAt,
      updated_at: delivery.updatedAt,
    });
  }
}

export const WebhookDeliveryPage = PaginatedView(WebhookDeliveryView, 'deliveries', 'WebhookDeliveryPage');
