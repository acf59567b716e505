import { withRevision } from '../../../core/schema/record.view.js';
import type { User } from '../../../organizations/users/user.entity.js';
import { findMailBlock, MAIL_BLOCKS, type MailBlock } from '../mail/mail-block.js';
import { FlagField, MapOfField, TextField, TextsField, WordField } from '../../../core/schema/view-fields.js';
import { type CategoryPreference, EMAIL_FREQUENCIES, resolvePreferences } from '../notification-preferences.js';
import type { NotificationSettings } from './notification-settings.entity.js';

const REST = { rest: true } as const;
const PREFERENCE = {
  type: 'object',
  properties: { in_app: { type: 'boolean' }, email: { type: 'string', enum: EMAIL_FREQUENCIES } },
  required: ['in_app', 'email'],
  additionalProperties: false,
};

/** The notification settings of the caller. */
export class NotificationSettingsView {
  @MapOfField(PREFERENCE, { ...REST, description: 'What is sent, by category of events.' })
  categories!: Record<string, CategoryPreference>;

  @TextField({ ...REST, description: 'The IANA time zone of digests, such as Europe/Berlin.' })
  timezone!: string;

  @TextField({ ...REST, description: 'The local time of the daily digest, as HH:MM.' })
  digest_at!: string;

  @TextsField({ ...REST, description: 'Workspaces without notifications.' })
  muted_workspaces!: string[];

  @FlagField({ ...REST, description: 'Whether this installation sends mail.' })
  email_enabled!: boolean;

  @WordField(MAIL_BLOCKS, {
    ...REST,
    nullable: true,
    description: 'Why the caller gets no mail whatever these settings are; null when nothing is in the way.',
  })
  email_blocked!: MailBlock | null;

  static fromEntity(
    this: void,
    settings: NotificationSettings,
    user: User,
    sendsMail: boolean,
  ): NotificationSettingsView {
    return Object.assign(withRevision(new NotificationSettingsView(), settings), {
      categories: resolvePreferences(settings.categories),
      timezone: settings.timezone,
      digest_at: settings.digestAt,
      muted_workspaces: settings.mutedWorkspaces,
      email_enabled: sendsMail,
      email_blocked: findMailBlock(user),
    });
  }
}
