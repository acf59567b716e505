import type { Actor } from '../../../core/access/actor.js';
import { UserUpdated } from '../../../organizations/users/user.events.js';
import type { User } from '../../../organizations/users/user.entity.js';
import type { NotificationSettings } from './notification-settings.entity.js';

/** A user changed their notification settings. */
export class NotificationSettingsUpdated extends UserUpdated {
  protected override readonly verb = 'changed the notification settings';

  constructor(
    actor: Actor,
    user: User,
    readonly settings: NotificationSettings,
  ) {
    super(actor, user, { changed: 'notification_settings' });
  }
}
