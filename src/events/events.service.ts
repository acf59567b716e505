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

/** Lists the events that a user may read, and stores their marks. */
@Injectable()
export class EventsService implements RecordAuthorizer {
  constructor(
    private readonly events: EventsStore,
    private readonly kept: KeptEventsStore,
    private readonly organizations: OrganizationsService,
  ) {}

  /**
   * Lists the events of the given organization. Without one, those of the caller's organization and of the installation.
   * @throws AppError REPLAY_EXPIRED when events after `since` were removed
   */
  async list(actor: Actor, query: EventListQuery): Promise<Page<SeenEvent>> {
    const { id } = await this.organizations.resolve(actor, query.organization_id);
    await this.assertKept(id, query);
    return this.page(actor, { organizationId: id, installation: !query.organization_id }, query);
  }

  /**
   * Lists the events of a workspace.
   * @throws NotFound when the workspace is not visible; AppError REPLAY_EXPIRED
   */
  async listOfWorkspace(actor: Actor, workspaceId: string, query: EventListQuery): Promise<Page<SeenEvent>> {
    const feed = await this.events.findFeedOfWorkspace(actor, workspaceId);
    if (feed === null) throw new NotFound('workspace', workspaceId);
    await this.assertKept(feed, query);
    return this.page(actor, { workspaceId }, query);
  }

  /** @throws NotFound when the actor may not read such an event */
  async get(actor: Actor, id: string): Promise<SeenEvent> {
    const event = await this.events.find(actor, id);
    if (!event) throw new NotFound('event', id);
    return toSeenEvent(event);
  }

  /** Users may mark the events that they may read. */
  async authorize(actor: Actor, _operation: Operation, id: string): Promise<void> {
    await this.get(actor, id);
  }

  /** @throws AppError 412 when the status changed since the caller read it */
  async mark(actor: Actor, id: string, status: EventStatus, match: Precondition): Promise<SeenEvent> {
    assertScope(actor, eventPolicy.mark);
    const seen = await this.get(actor, id);
    match.assertMatches(eventRevision(seen));
    await this.saveMarks(actor, [id], status);
    return { ...seen, read: status === 'read' };
  }

  /** @returns the ids whose status was set: those that the actor may read */
  async markAll(actor: Actor, { status, ids }: StatusesChange): Promise<string[]> {
    assertScope(actor, eventPolicy.mark);
    const readable = await this.events.filterReadable(actor, ids);
    await this.saveMarks(actor, readable, status);
    return readable;
  }

  /** @throws AppError REPLAY_EXPIRED when events after the start of the list were removed */
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
