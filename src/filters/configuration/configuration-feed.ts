import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Forbidden } from '../../core/errors/app-error.js';
import { type EventNotice, EventStream } from '../../core/events/event-stream.js';
import { DesignListQuery } from '../../designs/design.inputs.js';
import { DesignsService } from '../../designs/designs.service.js';
import type { PageFilter } from '../../core/listing/page-filter.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import { WorkspaceRecordQuery } from '../../workspaces/records/workspace-record.query.js';
import { FiltersService } from '../filters.service.js';
import { ConfigurationFollower, type Reading } from './configuration-follower.js';

/** What changes designs and filters, or who may see them. */
const FOLLOWED = new Set(['design', 'filter', 'workspace', 'member', 'team', 'organization']);
/** What may let someone into an organization of whose changes they were not told before. */
const ADMITTING = new Set(['member', 'organization']);
/** Should a notice be lost without a trace, as on a connection that died silently, changes come late by so much. */
const SAFETY_MS = 15_000;

/** Designs and filters, followed as they change on any replica. */
@Injectable()
export class ConfigurationFeed implements OnModuleDestroy {
  private readonly followers = new Set<ConfigurationFollower>();
  private readonly timer = setInterval(() => this.wakeAll(), SAFETY_MS).unref();

  constructor(
    private readonly designs: DesignsService,
    private readonly filters: FiltersService,
    private readonly organizations: OrganizationsStore,
    stream: EventStream,
  ) {
    stream.listen((notice) => this.hear(notice));
    stream.onGap(() => this.wakeAll());
  }

  /** @throws InvalidRequest when a selector asks for what no list has */
  async follow(actor: Actor, patterns: PageFilter, filters: PageFilter): Promise<ConfigurationFollower> {
    const { userId } = actor;
    if (!userId) throw new Forbidden('only users follow designs and filters');
    const read = async (): Promise<Reading> => ({
      organizations: new Set((await this.organizations.ofMember(userId)).map(({ id }) => id)),
      pages: {
        patterns: await this.designs.list(actor, patterns.intoNarrowed(new DesignListQuery())),
        filters: await this.filters.list(actor, filters.intoNarrowed(new WorkspaceRecordQuery())),
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

  private hear({ category, organizationId }: EventNotice): void {
    if (!FOLLOWED.has(category) || organizationId === null) return;
    for (const follower of this.followers)
      if (follower.concerns(organizationId) || ADMITTING.has(category)) follower.wake();
  }

  private wakeAll(): void {
    for (const follower of this.followers) follower.wake();
  }
}
