import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../core/access/actor.js';
import { newId } from '../../../core/database/base.entity.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../../../core/errors/app-error.js';
import { EventBus } from '../../../core/events/event-bus.js';
import type { ListQuery } from '../../../core/listing/list-query.js';
import type { Page } from '../../../core/listing/page.js';
import { callAddressIn } from '../../../core/outbound/outbound-refused.js';
import { Outbound } from '../../../core/outbound/outbound.service.js';
import { Precondition } from '../../../core/rest/precondition.js';
import {
  assertReadOnlyUnchanged,
  definedFields,
  getReadOnlyField,
  nullToEmpty,
} from '../../../core/rest/read-only-fields.js';
import { type WebhookOwner, WebhookOwnersService } from './webhook-owners.service.js';
import { generateSigningSecret } from './signing-secret.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import { maskEndpoint, Webhook } from './webhook.entity.js';
import { WebhookCreated, WebhookDeleted, WebhookDisabled, WebhookRotated, WebhookUpdated } from './webhook.events.js';
import type { NewWebhook, WebhookChange } from './webhook.inputs.js';
import type { WebhookOperation } from './webhook.policy.js';
import { WebhookView, type WebhookWithSecret } from './webhook.view.js';
import { WebhooksStore } from './webhooks.store.js';

const MAX_WEBHOOKS = 1_000;
/** How long after a rotation deliveries are signed with both secrets. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

/** Manages the endpoints of workspaces and organizations. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly webhooks: WebhooksStore,
    private readonly owners: WebhookOwnersService,
    private readonly secrets: WebhookSecretsService,
    private readonly outbound: Outbound,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, owner: WebhookOwner, query: ListQuery): Promise<Page<Webhook>> {
    return this.webhooks.page(await this.owners.authorize(actor, owner, 'read'), query);
  }

  /** @throws NotFound, Forbidden */
  async get(actor: Actor, owner: WebhookOwner, id: string, operation: WebhookOperation = 'read'): Promise<Webhook> {
    const webhook = await this.webhooks.findIn(await this.owners.authorize(actor, owner, operation), id);
    if (!webhook) throw new NotFound('webhook', id);
    return webhook;
  }

  /** Returns an endpoint for a test or a redelivery. @throws Conflict WORKSPACE_ARCHIVED */
  async getForSending(actor: Actor, owner: WebhookOwner, id: string): Promise<Webhook> {
    return this.unit.run(() => this.getForUpdate(actor, owner, id, 'send', Precondition.none));
  }

  /** Creates an endpoint, which receives events from now on. */
  async create(actor: Actor, owner: WebhookOwner, input: NewWebhook): Promise<WebhookWithSecret> {
    const place = await this.owners.authorize(actor, owner, 'create');
    assertReadOnlyUnchanged(input, { organization_id: place.organizationId, workspace_id: place.workspaceId });
    await this.assertCallable(input.url);
    const secret = generateSigningSecret();
    const webhook = Object.assign(new Webhook(), fieldsOf(input), place, { id: newId(), owner: actor.userId });
    const sealed = await this.secrets.make(webhook, secret, input);
    return this.unit.run(async () => {
      await this.owners.lockActive(actor, place);
      if ((await this.webhooks.count(place)) >= MAX_WEBHOOKS) throw tooMany(owner);
      Object.assign(webhook, sealed);
      webhook.startsAfter = await this.unit.runAsSystem('the feed of webhooks', () =>
        this.webhooks.openFeed(place.organizationId),
      );
      await this.webhooks.insert(webhook);
      await this.events.publish(new WebhookCreated(actor, webhook));
      return { webhook, secret, url: input.url };
    });
  }

  /** @throws AppError OUTBOUND_REFUSED */
  private assertCallable(url: string): Promise<void> {
    return callAddressIn('/url', () => this.outbound.assertAllowed(url, 'webhook'));
  }

  async update(
    actor: Actor,
    owner: WebhookOwner,
    id: string,
    input: WebhookChange,
    match: Precondition,
  ): Promise<Webhook> {
    if (input.url !== undefined) {
      const { url } = await this.get(actor, owner, id, 'update');
      // An unchanged URL is not checked again, even if its host resolves to another address now: each attempt is checked.
      if (input.url !== maskEndpoint(url)) await this.assertCallable(input.url);
    }
    return this.unit.run(async () => {
      const webhook = await this.getForUpdate(actor, owner, id, 'update', match);
      const secret = await this.secrets.confirmCurrent(webhook, getReadOnlyField(input, 'secret'));
      assertReadOnlyUnchanged(input, { ...WebhookView.fromEntity(webhook), secret });
      const { isMoved = false, ...sealed } = await this.secrets.change(webhook, input);
      const change: Partial<Webhook> = { ...fieldsOf(input), ...sealed };
      const wasEnabled = webhook.enabled;
      if (await this.webhooks.change(webhook, { ...change, ...healthAfter(webhook, input, isMoved) }))
        await this.events.publish(
          wasEnabled && !webhook.enabled
            ? new WebhookDisabled(actor, webhook, null)
            : new WebhookUpdated(actor, webhook),
        );
      return webhook;
    });
  }

  /** Creates a new secret; deliveries are also signed with the previous one for a day. */
  async rotate(actor: Actor, owner: WebhookOwner, id: string): Promise<WebhookWithSecret> {
    return this.unit.run(async () => {
      const webhook = await this.getForUpdate(actor, owner, id, 'rotate', Precondition.none);
      const kept = await this.secrets.open(webhook);
      const secret = generateSigningSecret();
      const previousSecretExpiresAt = new Date(Date.now() + ROTATION_MS);
      const previous = kept.signing.slice(0, 1).map((one) => ({
        secret: one.secret,
        expiresAt: previousSecretExpiresAt.toISOString(),
      }));
      const secrets = await this.secrets.seal(webhook, { ...kept, signing: [{ secret }, ...previous] });
      await this.webhooks.update(webhook, { secrets, previousSecretExpiresAt });
      await this.events.publish(new WebhookRotated(actor, webhook));
      return { webhook, secret };
    });
  }

  async delete(actor: Actor, owner: WebhookOwner, id: string, match: Precondition): Promise<Webhook> {
    return this.unit.run(async () => {
      const webhook = await this.getForUpdate(actor, owner, id, 'delete', match);
      await this.webhooks.softDelete(webhook);
      await this.events.publish(new WebhookDeleted(actor, webhook));
      return webhook;
    });
  }

  private async getForUpdate(
    actor: Actor,
    owner: WebhookOwner,
    id: string,
    operation: WebhookOperation,
    match: Precondition,
  ): Promise<Webhook> {
    const place = await this.owners.authorize(actor, owner, operation);
    await this.owners.lockActive(actor, place);
    const webhook = await this.webhooks.lockIn(place, id);
    if (!webhook) throw new NotFound('webhook', id);
    match.assertMatches(webhook);
    return webhook;
  }
}

const fieldsOf = ({ description, events, severities, format, enabled }: WebhookChange): Partial<Webhook> =>
  definedFields({
    ...{ format, enabled, events: events && [...new Set(events)] },
    description: nullToEmpty(description, ''),
    severities: severities === null ? [] : severities && [...new Set(severities)],
  });

/** A new URL, or enabling the endpoint, resets its failures. */
function healthAfter(webhook: Webhook, { enabled }: WebhookChange, isMoved: boolean): Partial<Webhook> {
  const begins = isMoved || (enabled === true && !webhook.enabled);
  return begins ? { failingSince: null, noticedAt: null, disabledAt: null, disabledReason: null, slow: true } : {};
}

const tooMany = ({ type }: WebhookOwner): Conflict =>
  new Conflict('QUOTA_EXCEEDED', `the ${type} has ${MAX_WEBHOOKS} webhooks already`, {
    remedy: 'Delete webhooks that are not needed any more.',
  });
