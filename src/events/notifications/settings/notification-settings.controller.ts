import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../../core/access/actor.js';
import { CurrentActor } from '../../../core/access/access.decorators.js';
import { RestOperation } from '../../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../../core/rest/precondition.js';
import { RequiresRight } from '../../../core/rest/rights/rights.decorators.js';
import { notificationPolicy } from '../notification.policy.js';
import { NotificationSettingsChange } from './notification-settings.inputs.js';
import { NotificationSettingsService } from './notification-settings.service.js';
import { NotificationSettingsView } from './notification-settings.view.js';

@ApiTags('users')
@Controller('identity/users/notifications')
export class NotificationSettingsController {
  constructor(private readonly settings: NotificationSettingsService) {}

  @RestOperation(
    'getNotificationSettings',
    'Read own notification settings',
    'Reads how the caller is notified of events, in the application and by mail.',
  )
  @Get()
  @RequiresRight(notificationPolicy.read)
  @ApiOkResponse({ type: NotificationSettingsView })
  get(@CurrentActor() actor: Actor): Promise<NotificationSettingsView> {
    return this.settings.get(actor);
  }

  @RestOperation(
    'updateNotificationSettings',
    'Update own notification settings',
    'Changes the fields that are sent, and of the categories those that are named.',
  )
  @Put()
  @RequiresRight(notificationPolicy.updateSettings)
  @ApiOkResponse({ type: NotificationSettingsView })
  update(
    @CurrentActor() actor: Actor,
    @Body() input: NotificationSettingsChange,
    @IfMatch() match: Precondition,
  ): Promise<NotificationSettingsView> {
    return this.settings.update(actor, input, match);
  }
}
