import { Args, ID, Query, Resolver, Subscription } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { ListArgs } from '../../core/listing/list-query.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { IdPipe } from '../../core/rest/id.js';
import type { SeenEvent } from './event.entity.js';
import { EventSubscription } from './event.inputs.js';
import { EventPage, EventView } from './event.view.js';
import { EventsService } from './events.service.js';
import { SubscriptionsService } from './live/subscriptions.service.js';

@Resolver(() => EventView)
export class EventsResolver {
  constructor(
    private readonly service: EventsService,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  @Query(() => EventPage)
  async events(@Caller() actor: Actor, @Args() args: ListArgs): Promise<Envelope> {
    return envelope(await this.service.list(actor, args.toQuery()), 'events', EventView.of);
  }

  @Query(() => EventView)
  async event(
    @Caller() actor: Actor,
    @Args('id', { type: () => ID }, new IdPipe('id')) id: string,
  ): Promise<EventView> {
    return EventView.of(await this.service.get(actor, id));
  }

  @Subscription(() => EventView, { resolve: (seen: SeenEvent) => EventView.of(seen) })
  subscribeEvents(@Caller() actor: Actor, @Args() args: EventSubscription): Promise<AsyncIterator<SeenEvent>> {
    return this.subscriptions.follow(actor, {
      organizationId: args.organizationID ?? undefined,
      workspaceId: args.workspaceID ?? undefined,
      severity: args.severity ?? undefined,
      category: args.category ?? undefined,
      after: args.after ?? undefined,
    });
  }
}
