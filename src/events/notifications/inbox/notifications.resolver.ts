import { Args, ID, Query, Resolver, Subscription } from '@nestjs/graphql';
import { Actor } from '../../../core/access/actor.js';
import { CurrentActor } from '../../../core/access/access.decorators.js';
import { IdPipe } from '../../../core/rest/id.pipe.js';
import { NotificationListArgs } from './notification.inputs.js';
import {
  NotificationMessageView,
  type NotificationNews,
  NotificationPage,
  NotificationView,
} from './notification.view.js';
import { NotificationSubscriptionsService } from './notification-subscriptions.service.js';
import { NotificationsService } from './notifications.service.js';

@Resolver(() => NotificationView)
export class NotificationsResolver {
  constructor(
    private readonly service: NotificationsService,
    private readonly subscriptions: NotificationSubscriptionsService,
  ) {}

  @Query(() => NotificationPage, { description: 'The events that the caller is notified of.' })
  async notifications(@CurrentActor() actor: Actor, @Args() args: NotificationListArgs): Promise<NotificationPage> {
    return NotificationPage.fromList(await this.service.list(actor, args.toListQuery()));
  }

  @Query(() => NotificationView, { description: 'A notification by its id.' })
  async notification(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<NotificationView> {
    return NotificationView.fromSeenEvent(await this.service.get(actor, id));
  }

  @Subscription(() => NotificationMessageView, {
    description: 'Notifications as they come, and how many are unread: at once, then on change.',
    resolve: (news: NotificationNews) => NotificationMessageView.fromNews(news),
  })
  subscribeNotifications(@CurrentActor() actor: Actor): Promise<AsyncIterator<NotificationNews>> {
    return this.subscriptions.follow(actor);
  }
}
