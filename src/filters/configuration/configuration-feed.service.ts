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

/** A snapshot of the two pages of a subscription, limited to the records that the subscriber may read. */
export interface ConfigurationPages {
  patterns: Page<Design>;
  filters: Page<Filter>;
}

/** The categories of events that may change a page: changes of designs and filters, and of the right to read them. */
const WATCHED_CATEGORIES = new Set(['design', 'filter', 'workspace', 'member', 'team', 'organization']);
/** The categories of events that may make the subscriber a member of another organization. */
const MEMBERSHIP_CATEGORIES = new Set(['member', 'organization']);

/** Follows pages of designs and filters, including changes on other replicas. */
@Injectable()
export class ConfigurationFeedService {
  constructor(
    private readonly designs: DesignsService,
    private readonly filters: FiltersService,
    private readonly organizations: OrganizationsStore,
    private readonly snapshots: SnapshotsService,
  ) {}

  /** @throws InvalidRequest for an invalid selector; Forbidden for an actor that is not a user */
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

/** Identifies the content of a page: every change of a record increments its revision. */
const pageFingerprint = ({ total, items }: Page<BaseEntity>): unknown[] => [
  total,
  ...items.map(({ id, revision }) => [id, revision]),
];
