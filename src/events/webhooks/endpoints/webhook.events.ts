import type { Actor } from '../../../core/access/actor.js';
import { DomainEvent, type Severity } from '../../../core/events/domain-event.js';
import type { DisabledReason, Webhook } from './webhook.entity.js';

/** An event of an endpoint. It contains only the host, because the rest of the URL may be a secret. */
abstract class WebhookEvent extends DomainEvent {
  readonly category = 'webhook';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly webhook: Webhook,
    metadata: Record<string, unknown> = {},
  ) {
    super(
      actor,
      { id: webhook.id, organizationId: webhook.organizationId, workspaceId: webhook.workspaceId },
      { host: webhook.host, owner: webhook.owner, ...metadata },
    );
  }

  get description(): string {
    return `Webhook to ${this.webhook.host} ${this.verb}`;
  }
}

export class WebhookCreated extends WebhookEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class WebhookUpdated extends WebhookEvent {
  readonly action = 'updated';
  protected readonly verb = 'was changed';
}

export class WebhookRotated extends WebhookEvent {
  readonly action = 'rotated';
  protected readonly verb = 'had its secret rotated';
}

export class WebhookDeleted extends WebhookEvent {
  readonly action = 'deleted';
  protected readonly verb = 'was deleted';
}

/** All attempts of the last day failed; the endpoint will be disabled if this continues. */
export class WebhookFailing extends WebhookEvent {
  readonly action = 'failing';
  override readonly severity: Severity = 'warning';
  protected readonly verb = 'is failing and will be disabled';
}

export class WebhookDisabled extends WebhookEvent {
  readonly action = 'disabled';
  override readonly severity: Severity;
  protected readonly verb = 'was disabled';

  /** @param reason why the server disabled it; null when a user did */
  constructor(
    actor: Actor,
    webhook: Webhook,
    readonly reason: DisabledReason | null,
  ) {
    super(actor, webhook, { reason: reason ?? 'requested' });
    this.severity = reason ? 'error' : 'informational';
  }
}
