import { Args, ID, Query, Resolver, Subscription } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.pipe.js';
import type { SeenEvent } from './event.entity.js';
import { EventSubscription } from './event.inputs.js';
import { EventPage, EventView } from './event.view.js';
import { EventsService } from './events.service.js';
import { EventSubscriptionsService } from './live/event-subscriptions.service.js';

@Resolver(() => EventView)
export class EventsResolver {
  constructor(
    private readonly service: EventsService,
    private readonly subscriptions: EventSubscriptionsService,
  ) {}

  @Query(() => EventPage)
  async events(@CurrentActor() actor: Actor, @Args() args: ListArgs): Promise<PageEnvelope> {
    return toPageEnvelope(await this.service.list(actor, args.toListQuery()), 'events', EventView.fromSeenEvent);
  }

  @Query(() => EventView)
  async event(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID }, new IdPipe('id')) id: string,
  ): Promise<EventView> {
    return EventView.fromSeenEvent(await this.service.get(actor, id));
  }

  @Subscription(() => EventView, { resolve: (seen: SeenEvent) => EventView.fromSeenEvent(seen) })
  subscribeEvents(@CurrentActor() actor: Actor, @Args() args: EventSubscription): Promise<AsyncIterator<SeenEvent>> {
    return this.subscriptions.follow(actor, {
      organizationId: args.organizationID ?? undefined,
      workspaceId: args.workspaceID ?? undefined,
      severity: args.severity ?? undefined,
      category: args.category ?? undefined,
      after: args.after ?? undefined,
    });
  }
}
