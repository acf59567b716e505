import type { Actor } from '../../../core/access/actor.js';
import { DomainEvent, type Severity } from '../../../core/events/domain-event.js';
import type { DisabledReason, Webhook } from './webhook.entity.js';

/** Something happened to an endpoint. Only its host is named: the rest of the address may be a secret. */
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

/** Every attempt of the last day failed; it is disabled when that goes on. */
export class WebhookFailing extends WebhookEvent {
  readonly action = 'failing';
  override readonly severity: Severity = 'warning';
  protected readonly verb = 'is failing and will be disabled';
}

export class WebhookDisabled extends WebhookEvent {
  readonly action = 'disabled';
  override readonly severity: Severity;
  protected readonly verb = 'was disabled';

  /** @param reason why the server gave it up; null when a user disabled it */
  constructor(
    actor: Actor,
    webhook: Webhook,
    readonly reason: DisabledReason | null,
  ) {
    super(actor, webhook, { reason: reason ?? 'requested' });
    this.severity = reason ? 'error' : 'informational';
  }
}
