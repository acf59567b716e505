import { Injectable } from '@nestjs/common';
import { assertScope } from '../core/authorization/permission-errors.js';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { NotFound } from '../core/errors/app-error.js';
import type { Page } from '../core/listing/page.js';
import type { Precondition } from '../core/rest/precondition.js';
import type { RecordAuthorizer } from '../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import type { SeenEvent } from './event.entity.js';
import type { EventListQuery, StatusesChange } from './event.inputs.js';
import { eventPolicy } from './event.policy.js';
import { eventRevision, type EventStatus } from './event.view.js';
import { EventsStore, type FeedScope, findSince, toSeenEvent } from './events.store.js';
import { KeptEventsStore } from './kept-events.store.js';
import { replayExpired } from './replay-expired.js';

/** What happened, as far as each may read of it, and what they have read. */
@Injectable()
export class EventsService implements RecordAuthorizer {
  constructor(
    private readonly events: EventsStore,
    private readonly kept: KeptEventsStore,
    private readonly organizations: OrganizationsService,
  ) {}

  /**
   * The events of an organization. When the call names none these are those of the one meant, and of the installation.
   * @throws AppError REPLAY_EXPIRED when some that came after `since` are gone
   */
  async list(actor: Actor, query: EventListQuery): Promise<Page<SeenEvent>> {
    const { id } = await this.organizations.resolve(actor, query.organization_id);
    await this.assertKept(id, query);
    return this.page(actor, { organizationId: id, installation: !query.organization_id }, query);
  }

  /**
   * What happened in a workspace.
   * @throws NotFound when the workspace is not visible; AppError REPLAY_EXPIRED
   */
  async listOfWorkspace(actor: Actor, workspaceId: string, query: EventListQuery): Promise<Page<SeenEvent>> {
    const feed = await this.events.findFeedOfWorkspace(actor, workspaceId);
    if (feed === null) throw new NotFound('workspace', workspaceId);
    await this.assertKept(feed, query);
    return this.page(actor, { workspaceId }, query);
  }

  /** @throws NotFound when there is none that the actor may read */
  async get(actor: Actor, id: string): Promise<SeenEvent> {
    const event = await this.events.find(actor, id);
    if (!event) throw new NotFound('event', id);
    return toSeenEvent(event);
  }

  /** Everyone marks the events that they may read. */
  async authorize(actor: Actor, _operation: Operation, id: string): Promise<void> {
    await this.get(actor, id);
  }

  /** @throws AppError 412 when the caller has marked it since they read it */
  async mark(actor: Actor, id: string, status: EventStatus, match: Precondition): Promise<SeenEvent> {
    assertScope(actor, eventPolicy.mark);
    const seen = await this.get(actor, id);
    match.assertMatches(eventRevision(seen));
    await this.saveMarks(actor, [id], status);
    return { ...seen, read: status === 'read' };
  }

  /** @returns the ids that bear the mark now: those which the actor may read */
  async markAll(actor: Actor, { status, ids }: StatusesChange): Promise<string[]> {
    assertScope(actor, eventPolicy.mark);
    const readable = await this.events.filterReadable(actor, ids);
    await this.saveMarks(actor, readable, status);
    return readable;
  }

  /** @throws AppError REPLAY_EXPIRED when events after the number that the list starts from were removed */
  private async assertKept(feed: string, query: EventListQuery): Promise<void> {
    const since = findSince(query);
    if (since === undefined) return;
    const { oldest } = await this.kept.findRange(feed);
    if (since + 1n < oldest) throw replayExpired(since, oldest);
  }

  private async page(actor: Actor, scope: FeedScope, query: EventListQuery): Promise<Page<SeenEvent>> {
    const page = await this.events.page(actor, scope, query);
    return { ...page, items: page.items.map(toSeenEvent) };
  }

  private async saveMarks(actor: Actor, ids: string[], status: EventStatus): Promise<void> {
    if (actor.userId) await this.events.mark(actor.userId, ids, status === 'read');
  }
}
