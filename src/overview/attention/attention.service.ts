import { Injectable } from '@nestjs/common';
import { assertScope, permissionError } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { paginateItems } from '../../core/listing/paginate-items.js';
import { deploymentPolicy } from '../../deployments/deployment.policy.js';
import { FreezesService } from '../../environments/freezes/freezes.service.js';
import { maskEndpoint } from '../../events/webhooks/endpoints/webhook.entity.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { attentionPolicy } from '../overview.policy.js';
import type { AttentionItem } from './attention-kinds.js';
import type { AttentionQuery } from './attention.inputs.js';
import { AttentionStore } from './attention.store.js';

/** What needs attention among everything that a user sees. */
@Injectable()
export class AttentionService {
  constructor(
    private readonly attention: AttentionStore,
    private readonly freezes: FreezesService,
    private readonly organizations: OrganizationsService,
  ) {}

  /** The latest first. @throws NotFound when the actor does not belong to the given organization */
  async list(actor: Actor, query: AttentionQuery): Promise<Page<AttentionItem>> {
    assertScope(actor, attentionPolicy.read);
    const { organization_id: organizationId, page, pagesize, cursor } = query;
    if (organizationId) await this.organizations.get(actor, organizationId);
    const found = await Promise.all([
      this.attention.findFailed(actor, organizationId),
      this.attention.findDegraded(actor, organizationId),
      this.attention.findDrifted(actor, organizationId),
      // Whoever may approve somewhere may do so with this token.
      permissionError(actor, deploymentPolicy.approve, 'owner')
        ? []
        : this.attention.findPending(actor, organizationId),
      this.findFrozen(actor, organizationId),
      this.findWebhooks(actor, organizationId),
      this.attention.findConnections(actor, organizationId),
    ]);
    const getKey = ({ since, subject, kind }: AttentionItem): string => `${since.toISOString()} ${subject.id} ${kind}`;
    const listing = Object.assign(new ListQuery(), { page, pagesize, cursor, order: 'since desc' });
    return paginateItems(found.flat(), { name: 'since', getKey }, listing);
  }

  private async findWebhooks(actor: Actor, organizationId?: string): Promise<AttentionItem[]> {
    const items = await this.attention.findWebhooks(actor, organizationId);
    return items.map((item) => ({ ...item, subject: { ...item.subject, name: maskEndpoint(item.subject.name) } }));
  }

  private async findFrozen(actor: Actor, organizationId?: string): Promise<AttentionItem[]> {
    const items: AttentionItem[] = [];
    for (const environment of await this.attention.findFreezing(actor, organizationId)) {
      const active = await this.freezes.findActive(environment.id);
      if (!active) continue;
      const { freeze, endsAt } = active;
      const length = freeze.endsAt.getTime() - freeze.startsAt.getTime();
      items.push({
        kind: 'frozen',
        since: new Date(endsAt.getTime() - length),
        subject: { type: 'environment', ...environment },
        workspace_id: null,
        environment_id: environment.id,
        reason: `frozen until ${endsAt.toISOString()}${freeze.message ? `: ${freeze.message}` : ''}`,
      });
    }
    return items;
  }
}
