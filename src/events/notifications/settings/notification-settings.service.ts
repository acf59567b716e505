import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../core/authorization/permission-errors.js';
import type { Actor } from '../../../core/access/actor.js';
import { changedFields } from '../../../core/database/changed-fields.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { NotFound } from '../../../core/errors/app-error.js';
import { EventBus } from '../../../core/events/event-bus.js';
import { Mailer } from '../../../core/mail/mailer.js';
import type { Precondition } from '../../../core/rest/precondition.js';
import { assertReadOnlyUnchanged, definedFields, nullToEmpty } from '../../../core/rest/read-only-fields.js';
import type { User } from '../../../organizations/users/user.entity.js';
import { UsersStore } from '../../../organizations/users/users.store.js';
import { notificationPolicy } from '../notification.policy.js';
import { changeSilences } from '../silences.js';
import { changePreferences } from '../notification-preferences.js';
import { NotificationSettings } from './notification-settings.entity.js';
import { NotificationSettingsUpdated } from './notification-settings.events.js';
import type { NotificationSettingsChange } from './notification-settings.inputs.js';
import { NotificationSettingsStore } from './notification-settings.store.js';
import { NotificationSettingsView } from './notification-settings.view.js';

/** Reads and changes the notification settings of users. */
@Injectable()
export class NotificationSettingsService {
  constructor(
    private readonly settings: NotificationSettingsStore,
    private readonly users: UsersStore,
    private readonly mailer: Mailer,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async get(actor: Actor): Promise<NotificationSettingsView> {
    assertScope(actor, notificationPolicy.read);
    const user = actor.userId ? await this.users.find(actor.userId) : null;
    if (!user) throw new NotFound('user', actor.userId ?? actor.name);
    return this.toView(await this.settings.find(user.id), user);
  }

  /** @throws AppError 412 when the settings changed since the caller read them */
  async update(
    actor: Actor,
    input: NotificationSettingsChange,
    match: Precondition,
  ): Promise<NotificationSettingsView> {
    assertScope(actor, notificationPolicy.updateSettings);
    const categories = input.parseCategories();
    return this.unit.run(async () => {
      const user = actor.userId ? await this.users.lock(actor.userId) : null;
      if (!user) throw new NotFound('user', actor.userId ?? actor.name);
      const settings = await this.settings.find(user.id);
      match.assertMatches(settings);
      assertReadOnlyUnchanged(input, this.toView(settings, user));
      const preset = new NotificationSettings();
      const muted = nullToEmpty(input.muted_workspaces, preset.mutedWorkspaces);
      const change = definedFields({
        timezone: nullToEmpty(input.timezone, preset.timezone),
        digestAt: nullToEmpty(input.digest_at, preset.digestAt),
        mutedWorkspaces: muted && [...new Set(muted.map((id) => id.toLowerCase()))],
      });
      const changed = changedFields(settings, {
        ...change,
        categories: changePreferences(settings.categories, categories),
      });
      if (Object.keys(changed).length === 0) return this.toView(settings, user);
      const silences = changeSilences(settings, { ...settings, ...changed }, await this.settings.readTime());
      await this.settings.save(Object.assign(settings, changed, { silences }));
      await this.events.publish(new NotificationSettingsUpdated(actor, user, settings));
      return this.toView(settings, user);
    });
  }

  private toView(settings: NotificationSettings, user: User): NotificationSettingsView {
    return NotificationSettingsView.fromEntity(settings, user, this.mailer.isConfigured);
  }
}
