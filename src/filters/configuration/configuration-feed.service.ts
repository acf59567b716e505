import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Forbidden } from '../../core/errors/app-error.js';
import { type EventNotification, EventStream } from '../../core/events/event-stream.js';
import { DesignListQuery } from '../../designs/design.inputs.js';
import { DesignsService } from '../../designs/designs.service.js';
import type { PageFilter } from '../../core/listing/page-filter.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import { WorkspaceOwnedQuery } from '../../workspaces/workspace-owned/workspace-owned.query.js';
import { FiltersService } from '../filters.service.js';
import { ConfigurationFollower, type ConfigurationSnapshot } from './configuration-follower.js';

/** What changes designs and filters, or who may see them. */
const WATCHED_CATEGORIES = new Set(['design', 'filter', 'workspace', 'member', 'team', 'organization']);
/** What may let someone into an organization of whose changes they were not told before. */
const MEMBERSHIP_CATEGORIES = new Set(['member', 'organization']);
/** Should a notice be lost without a trace, as on a connection that died silently, changes come late by so much. */
const FALLBACK_INTERVAL_MS = 15_000;

/** Designs and filters, followed as they change on any replica. */
@Injectable()
export class ConfigurationFeedService implements OnModuleDestroy {
  private readonly followers = new Set<ConfigurationFollower>();
  private readonly timer = setInterval(() => this.wakeAll(), FALLBACK_INTERVAL_MS).unref();

  constructor(
    private readonly designs: DesignsService,
    private readonly filters: FiltersService,
    private readonly organizations: OrganizationsStore,
    stream: EventStream,
  ) {
    stream.subscribe((notice) => this.onNotice(notice));
    stream.onReconnect(() => this.wakeAll());
  }

  /** @throws InvalidRequest when a selector asks for what no list has */
  async follow(actor: Actor, patterns: PageFilter, filters: PageFilter): Promise<ConfigurationFollower> {
    const { userId } = actor;
    if (!userId) throw new Forbidden('only users follow designs and filters');
    const read = async (): Promise<ConfigurationSnapshot> => ({
      organizations: new Set((await this.organizations.listByMember(userId)).map(({ id }) => id)),
      pages: {
        patterns: await this.designs.list(actor, patterns.applyWithFiltersTo(new DesignListQuery())),
        filters: await this.filters.list(actor, filters.applyWithFiltersTo(new WorkspaceOwnedQuery())),
      },
    });
    await read();
    const follower = new ConfigurationFollower(read, (left) => this.followers.delete(left));
    this.followers.add(follower);
    return follower;
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    for (const follower of [...this.followers]) await follower.return();
  }

  private onNotice({ category, organizationId }: EventNotification): void {
    if (!WATCHED_CATEGORIES.has(category) || organizationId === null) return;
    for (const follower of this.followers)
      if (follower.follows(organizationId) || MEMBERSHIP_CATEGORIES.has(category)) follower.wake();
  }

  private wakeAll(): void {
    for (const follower of this.followers) follower.wake();
  }
}
