import { Args, Resolver, Subscription } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { EVENT_CATEGORIES } from '../../core/events/event-kinds.js';
import { parseWords } from '../../core/listing/words.js';
import type { SeenEvent } from '../event.entity.js';
import { EventSubscription } from '../event.inputs.js';
import { EventView } from '../event.view.js';
import { EventSubscriptionsService } from './event-subscriptions.service.js';

@Resolver(() => EventView)
export class EventSubscriptionsResolver {
  constructor(private readonly subscriptions: EventSubscriptionsService) {}

  @Subscription(() => EventView, {
    description: 'Events as they happen.',
    resolve: (seen: SeenEvent) => EventView.fromSeenEvent(seen),
  })
  subscribeEvents(@CurrentActor() actor: Actor, @Args() args: EventSubscription): Promise<AsyncIterator<SeenEvent>> {
    return this.subscriptions.follow(actor, {
      organizationId: args.organizationID ?? undefined,
      workspaceId: args.workspaceID ?? undefined,
      severity: args.severity ?? undefined,
      category: parseWords('category', args.category, EVENT_CATEGORIES),
      after: args.after ?? undefined,
    });
  }
}
