import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../../core/access/actor.js';
import { CurrentActor } from '../../../core/access/access.decorators.js';
import { IdParam } from '../../../core/rest/id.pipe.js';
import { RestOperation } from '../../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../../core/rest/precondition.js';
import { RequiresRight } from '../../../core/rest/rights/rights.decorators.js';
import { notificationPolicy } from '../notification.policy.js';
import { NotificationChange, NotificationListQuery, NotificationsChange } from './notification.inputs.js';
import { MarkedNotificationsView, NotificationPage, NotificationView } from './notification.view.js';
import { NotificationsService } from './notifications.service.js';

@ApiTags('events')
@Controller('notifications')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @RestOperation(
    'listNotifications',
    'List notifications',
    'Lists the events of the last 30 days that the caller is notified of, and how many of them are unread.',
  )
  @Get()
  @RequiresRight(notificationPolicy.read)
  @ApiOkResponse({ type: NotificationPage })
  async list(@CurrentActor() actor: Actor, @Query() query: NotificationListQuery): Promise<NotificationPage> {
    return NotificationPage.fromList(await this.notifications.list(actor, query));
  }

  @RestOperation('getNotification', 'Read a notification', 'Reads a notification.')
  @Get(':id')
  @ApiOkResponse({ type: NotificationView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<NotificationView> {
    return NotificationView.fromSeenEvent(await this.notifications.get(actor, id));
  }

  @RestOperation(
    'updateNotifications',
    'Mark notifications',
    'Marks several notifications, or all of them as read. Ids that are not notifications of the caller are left out of the response.',
  )
  @Put()
  @RequiresRight(notificationPolicy.mark)
  @ApiOkResponse({ type: MarkedNotificationsView })
  markAll(@CurrentActor() actor: Actor, @Body() input: NotificationsChange): Promise<MarkedNotificationsView> {
    return this.notifications.markAll(actor, input);
  }

  @RestOperation('updateNotification', 'Mark a notification', 'Marks a notification as read or unread.')
  @Put(':id')
  @RequiresRight(notificationPolicy.mark, NotificationsService)
  @ApiOkResponse({ type: NotificationView })
  async mark(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: NotificationChange,
    @IfMatch() match: Precondition,
  ): Promise<NotificationView> {
    return NotificationView.fromSeenEvent(await this.notifications.mark(actor, id, input, match));
  }
}
