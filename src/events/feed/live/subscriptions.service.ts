import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../core/access/actor.js';
import { AppError, Forbidden, InvalidRequest, NotFound } from '../../../core/errors/app-error.js';
import { OrganizationsService } from '../../../organizations/organizations.service.js';
import { OrganizationsStore } from '../../../organizations/organizations.store.js';
import { EventsStore } from '../events.store.js';
import { FeedStore } from '../feed.store.js';
import type { Follower, Wanted } from './follower.js';
import { type Beginning, LiveFeed } from './live-feed.js';

/** What a subscriber asks for. */
export interface Subscription {
  organizationId?: string;
  workspaceId?: string;
  severity?: readonly string[];
  category?: readonly string[];
  /** The number after which the events of the organization are wanted, those that were missed first. */
  after?: string;
}

/** Lets users follow events as they happen. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly live: LiveFeed,
    private readonly feeds: FeedStore,
    private readonly events: EventsStore,
    private readonly organizations: OrganizationsService,
    private readonly memberships: OrganizationsStore,
  ) {}

  /**
   * The events of the organization named; when none is, those of all that the actor belongs to and of the installation.
   * @throws NotFound, InvalidRequest, or AppError REPLAY_EXPIRED when events after the number are kept no more
   */
  async follow(actor: Actor, asked: Subscription): Promise<Follower> {
    const { workspaceId, organizationId, after } = asked;
    if (!actor.userId) throw new Forbidden('only users follow events');
    if (organizationId) await this.organizations.get(actor, organizationId);
    if (workspaceId && !(await this.events.seesWorkspace(actor, workspaceId)))
      throw new NotFound('workspace', workspaceId);
    const replayed = after === undefined ? undefined : (organizationId ?? (await this.onlyOrganization(actor.userId)));
    const begin = await this.beginnings(actor.userId, organizationId);
    for (const each of begin) if (each.feed === replayed) each.position = await this.after(each, BigInt(after ?? 0));
    return this.live.follow(actor.userId, begin, wantedBy(asked), organizationId === undefined);
  }

  /** How far an organization's events have come. */
  end(organizationId: string): Promise<bigint> {
    return this.feeds.end(organizationId);
  }

  private async beginnings(userId: string, organizationId?: string): Promise<Beginning[]> {
    const ends = organizationId
      ? [{ feed: organizationId, last: await this.feeds.end(organizationId) }]
      : await this.feeds.endsFor(userId);
    return ends.map(({ feed, last }) => ({ feed, last, position: last }));
  }

  private async after({ feed, last }: Beginning, after: bigint): Promise<bigint> {
    if (after > last) throw InvalidRequest.at('after', `is larger than the number of the last event, ${last}`);
    const oldest = await this.feeds.oldestIfExpired(feed, after, last);
    if (oldest !== null) throw replayExpired(after, oldest);
    return after;
  }

  private async onlyOrganization(userId: string): Promise<string | undefined> {
    const own = await this.memberships.ofMember(userId);
    if (own.length <= 1) return own[0]?.id;
    const names = own.map(({ id, name }) => `${name} (${id})`).join(', ');
    throw InvalidRequest.at('organizationID', `is required with after; yours are ${names}`);
  }
}

function replayExpired(after: bigint, oldest: bigint): AppError {
  return new AppError(410, 'REPLAY_EXPIRED', 'No longer kept', `events after ${after} are kept no more`, {
    remedy: `The oldest event kept for a replay is ${oldest}: read the older ones from GET /api/events.`,
    extensions: { oldest: oldest.toString() },
  });
}

function wantedBy({ workspaceId, severity, category }: Subscription): Wanted {
  return ({ event }) =>
    (workspaceId === undefined || event.workspaceId === workspaceId) &&
    (severity === undefined || severity.includes(event.severity)) &&
    (category === undefined || category.includes(event.category));
}
