import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { BaseEntity } from '../../core/database/base.entity.js';
import { Forbidden } from '../../core/errors/app-error.js';
import { type EventNotification, EVENTS_TOPIC } from '../../core/events/event-notification.js';
import type { Page } from '../../core/listing/page.js';
import type { PageFilter } from '../../core/listing/page-filter.js';
import type { SnapshotFollower } from '../../core/pubsub/snapshot-follower.js';
import { SnapshotsService } from '../../core/pubsub/snapshots.service.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignListQuery } from '../../designs/design.inputs.js';
import { DesignsService } from '../../designs/designs.service.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import { WorkspaceOwnedQuery } from '../../workspaces/workspace-owned/workspace-owned.query.js';
import type { Filter } from '../filter.entity.js';
import { FiltersService } from '../filters.service.js';

/** The two pages that one subscriber follows, as the subscriber may see them at one moment. */
export interface ConfigurationPages {
  patterns: Page<Design>;
  filters: Page<Filter>;
}

/** What changes designs and filters, or who may see them. */
const WATCHED_CATEGORIES = new Set(['design', 'filter', 'workspace', 'member', 'team', 'organization']);
/** What may let a subscriber into an organization whose changes did not concern them before. */
const MEMBERSHIP_CATEGORIES = new Set(['member', 'organization']);

/** Designs and filters, followed as they change on any replica. */
@Injectable()
export class ConfigurationFeedService {
  constructor(
    private readonly designs: DesignsService,
    private readonly filters: FiltersService,
    private readonly organizations: OrganizationsStore,
    private readonly snapshots: SnapshotsService,
  ) {}

  /** @throws InvalidRequest when a selector asks for what no list has */
  async follow(actor: Actor, patterns: PageFilter, filters: PageFilter): Promise<SnapshotFollower<ConfigurationPages>> {
    const { userId } = actor;
    if (!userId) throw new Forbidden('only users follow designs and filters', { remedy: 'Use a token of a user.' });
    let organizations: ReadonlySet<string> = new Set();
    const read = async (): Promise<ConfigurationPages> => {
      organizations = new Set((await this.organizations.listByMember(userId)).map(({ id }) => id));
      return {
        patterns: await this.designs.list(actor, patterns.applyWithFiltersTo(new DesignListQuery())),
        filters: await this.filters.list(actor, filters.applyWithFiltersTo(new WorkspaceOwnedQuery())),
      };
    };
    await read();
    return this.snapshots.follow({
      topic: EVENTS_TOPIC,
      filter: ({ category, organizationId }: EventNotification) =>
        organizationId !== null &&
        WATCHED_CATEGORIES.has(category) &&
        (organizations.has(organizationId) || MEMBERSHIP_CATEGORIES.has(category)),
      read,
      fingerprint: (pages) => JSON.stringify([pageFingerprint(pages.patterns), pageFingerprint(pages.filters)]),
    });
  }
}

/** What two readings of a page are compared by: every change of a record counts up its revision. */
const pageFingerprint = ({ total, items }: Page<BaseEntity>): unknown[] => [
  total,
  ...items.map(({ id, revision }) => [id, revision]),
];
