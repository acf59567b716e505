import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { ListArgs } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdPipe } from '../core/rest/id.pipe.js';
import { EventPage, EventView } from './event.view.js';
import { EventsService } from './events.service.js';

@Resolver(() => EventView)
export class EventsResolver {
  constructor(private readonly service: EventsService) {}

  @Query(() => EventPage, { description: 'The events that the caller sees.' })
  async events(@CurrentActor() actor: Actor, @Args() args: ListArgs): Promise<PageEnvelope> {
    return toPageEnvelope(await this.service.list(actor, args.toListQuery()), 'events', EventView.fromSeenEvent);
  }

  @Query(() => EventView, { description: 'An event by its id.' })
  async event(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<EventView> {
    return EventView.fromSeenEvent(await this.service.get(actor, id));
  }
}
