import { Injectable } from '@nestjs/common';
import { Access } from '../../../core/authorization/access.service.js';
import type { Actor } from '../../../core/access/actor.js';
import type { Operation } from '../../../core/access/policy.js';
import { NotFound } from '../../../core/errors/app-error.js';
import type { RecordAuthorizer } from '../../../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../../../organizations/organizations.service.js';
import { WorkspacesService } from '../../../workspaces/workspaces.service.js';
import { organizationWebhookPolicy, type WebhookOperation, workspaceWebhookPolicy } from './webhook.policy.js';
import { type WebhookPlace, WebhooksStore } from './webhooks.store.js';

/** The workspace or organization of a path. */
export interface WebhookOwner {
  type: 'workspace' | 'organization';
  id: string;
}

export const WEBHOOK_POLICIES = { workspace: workspaceWebhookPolicy, organization: organizationWebhookPolicy } as const;

/** Resolves and authorizes the owners of endpoints. */
@Injectable()
export class WebhookOwnersService {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
  ) {}

  /** @throws NotFound when the actor may not see the owner, Forbidden when their role is insufficient */
  async authorize(actor: Actor, owner: WebhookOwner, operation: WebhookOperation | Operation): Promise<WebhookPlace> {
    const place = await this.findPlace(actor, owner);
    const { type, id } = owner;
    const asked = typeof operation === 'string' ? WEBHOOK_POLICIES[type][operation] : operation;
    await this.access.authorize(actor, asked, { type, id, organizationId: place.organizationId });
    return place;
  }

  /** Locks the owner before a write, in its unit of work. @throws Conflict WORKSPACE_ARCHIVED */
  async lockActive(actor: Actor, { organizationId, workspaceId }: WebhookPlace): Promise<void> {
    if (workspaceId) await this.workspaces.lockActive(actor, workspaceId);
    else await this.organizations.lock(actor, organizationId);
  }

  private async findPlace(actor: Actor, { type, id }: WebhookOwner): Promise<WebhookPlace> {
    if (type === 'organization') {
      const organization = await this.organizations.get(actor, id);
      return { organizationId: organization.id, workspaceId: null };
    }
    const workspace = await this.workspaces.get(actor, id);
    return { organizationId: workspace.organizationId, workspaceId: workspace.id };
  }
}

/** Authorizes requests for the webhooks of one kind of owner. */
abstract class WebhookAuthorizer implements RecordAuthorizer {
  protected abstract readonly type: WebhookOwner['type'];

  protected constructor(
    private readonly owners: WebhookOwnersService,
    private readonly webhooks: WebhooksStore,
  ) {}

  async authorize(actor: Actor, operation: Operation, id = '', webhookId?: string): Promise<void> {
    const place = await this.owners.authorize(actor, { type: this.type, id }, operation);
    if (webhookId && !(await this.webhooks.findIn(place, webhookId))) throw new NotFound('webhook', webhookId);
  }
}

@Injectable()
export class WorkspaceWebhookAuthorizer extends WebhookAuthorizer {
  protected readonly type = 'workspace';

  constructor(owners: WebhookOwnersService, webhooks: WebhooksStore) {
    super(owners, webhooks);
  }
}

@Injectable()
export class OrganizationWebhookAuthorizer extends WebhookAuthorizer {
  protected readonly type = 'organization';

  constructor(owners: WebhookOwnersService, webhooks: WebhooksStore) {
    super(owners, webhooks);
  }
}
