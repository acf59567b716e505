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

/** What a subscriber asks for; an empty list leaves nothing out. */
export interface EventSubscriptionRequest {
  organizationId?: string;
  workspaceId?: string;
  severity?: readonly string[];
  category?: readonly string[];
  /** The number after which the events of the organization are wanted, those that were missed first. */
  after?: string;
}

/** Lets users follow events as they happen. */
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
   * The events of the organization named; when none is, those of all that the actor belongs to and of the installation.
   * @throws NotFound, InvalidRequest, or AppError REPLAY_EXPIRED when events after the number are kept no more
   */
  async follow(actor: Actor, asked: EventSubscriptionRequest): Promise<EventFollower> {
    const { workspaceId, organizationId, after } = asked;
    const userId = requireUser(actor);
    if (organizationId) await this.organizations.get(actor, organizationId);
    if (workspaceId && !(await this.events.canSeeWorkspace(actor, workspaceId)))
      throw new NotFound('workspace', workspaceId);
    const replayed = after === undefined ? undefined : (organizationId ?? (await this.resolveOnlyOrganization(userId)));
    const begin = await this.resolveStartPositions(userId, organizationId);
    for (const each of begin)
      if (each.feed === replayed) each.position = await this.resolveAfter(each, BigInt(after ?? 0));
    return this.live.follow(userId, begin, toPredicate(asked), organizationId === undefined);
  }

  /** Those of all that the actor belongs to and of the installation, as far as they are wanted. @throws Forbidden */
  async followAll(actor: Actor, wanted: EventPredicate): Promise<EventFollower> {
    const userId = requireUser(actor);
    return this.live.follow(userId, await this.resolveStartPositions(userId), wanted, true);
  }

  /** How far an organization's events have come. */
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
