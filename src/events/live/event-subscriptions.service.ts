import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Forbidden, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import { EventsStore } from '../events.store.js';
import { FeedStore } from '../feed.store.js';
import { KeptEventsStore } from '../kept-events.store.js';
import { notYetGiven, replayExpired } from '../replay-expired.js';
import type { EventFollower, EventPredicate } from './event-follower.js';
import { type StartPosition, LiveFeedService } from './live-feed.service.js';

/** The filter of a subscription; an empty list matches all. */
export interface EventSubscriptionRequest {
  organizationId?: string;
  workspaceId?: string;
  severity?: readonly string[];
  category?: readonly string[];
  /** The event number after which to replay events of the organization. */
  after?: string;
  /** Whether it ends as soon as the actor loses a role in the organization or in one of its workspaces. */
  endsWithRoles?: boolean;
}

/** Subscribes users to live events. */
@Injectable()
export class EventSubscriptionsService {
  constructor(
    private readonly live: LiveFeedService,
    private readonly feeds: FeedStore,
    private readonly kept: KeptEventsStore,
    private readonly events: EventsStore,
    private readonly organizations: OrganizationsService,
    private readonly memberships: OrganizationsStore,
  ) {}

  /**
   * Subscribes to the events of the given organization; without one, to those of all the actor's organizations and of the installation.
   * @throws NotFound, InvalidRequest, or AppError REPLAY_EXPIRED when events after the number were removed
   */
  async follow(actor: Actor, asked: EventSubscriptionRequest): Promise<EventFollower> {
    const { workspaceId, organizationId, after, endsWithRoles = false } = asked;
    const userId = requireUser(actor);
    let held = new Map<string, number>();
    const authorize = async (): Promise<void> => {
      if (organizationId) await this.organizations.get(actor, organizationId);
      if (workspaceId && !(await this.events.canSeeWorkspace(actor, workspaceId)))
        throw new NotFound('workspace', workspaceId);
      if (!endsWithRoles || !organizationId) return;
      const roles = await this.events.findRoles(actor, organizationId);
      if ([...held].some(([id, rank]) => (roles.get(id) ?? 0) < rank))
        throw new Forbidden('a role has ended', { remedy: 'Follow the events again.' });
      held = roles;
    };
    await authorize();
    const replayed = after === undefined ? undefined : (organizationId ?? (await this.resolveOnlyOrganization(userId)));
    const begin = await this.resolveStartPositions(userId, organizationId);
    for (const each of begin)
      if (each.feed === replayed) each.position = await this.resolveAfter(each, BigInt(after ?? 0));
    const follower = this.live.follow(userId, begin, toPredicate(asked), organizationId === undefined, authorize);
    // A role may have ended before it followed.
    if (endsWithRoles) follower.recheck();
    return follower;
  }

  /** Subscribes to the events of all the actor's organizations and of the installation that match. @throws Forbidden */
  async followAll(actor: Actor, wanted: EventPredicate): Promise<EventFollower> {
    const userId = requireUser(actor);
    return this.live.follow(userId, await this.resolveStartPositions(userId), wanted, true);
  }

  /** Returns the number of the last event of an organization. */
  findEnd(organizationId: string): Promise<bigint> {
    return this.feeds.findEnd(organizationId);
  }

  private async resolveStartPositions(userId: string, organizationId?: string): Promise<StartPosition[]> {
    const ends = organizationId
      ? [{ feed: organizationId, last: await this.feeds.findEnd(organizationId) }]
      : await this.feeds.findEndsForUser(userId);
    return ends.map(({ feed, last }) => ({ feed, last, position: last }));
  }

  private async resolveAfter({ feed, last }: StartPosition, after: bigint): Promise<bigint> {
    if (after > last) throw notYetGiven('after', last);
    const oldest = await this.kept.findOldestIfExpired(feed, after, last);
    if (oldest !== null) throw replayExpired(after, oldest);
    return after;
  }

  private async resolveOnlyOrganization(userId: string): Promise<string | undefined> {
    const own = await this.memberships.listByMember(userId);
    if (own.length <= 1) return own[0]?.id;
    const names = own.map(({ id, name }) => `${name} (${id})`).join(', ');
    throw InvalidRequest.forField('organizationID', `is required with after; yours are ${names}`);
  }
}

function requireUser({ userId }: Actor): string {
  if (!userId) throw new Forbidden('only users follow events', { remedy: 'Use a token of a user.' });
  return userId;
}

function toPredicate({ workspaceId, severity, category }: EventSubscriptionRequest): EventPredicate {
  return ({ event }) =>
    (workspaceId === undefined || event.workspaceId === workspaceId) &&
    (!severity?.length || severity.includes(event.severity)) &&
    (!category?.length || category.includes(event.category));
}
