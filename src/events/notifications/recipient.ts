import { listInApp, listMailed, type MailFrequency } from './notification-preferences.js';
import type { NotificationSettings } from './settings/notification-settings.entity.js';

/** A user with the filter of their notifications. */
export interface Recipient {
  userId: string;
  categories: string[];
  /** Workspaces without notifications. */
  muted: string[];
}

/** The recipient of in-app notifications. */
export const toRecipient = ({ userId, categories, mutedWorkspaces }: NotificationSettings): Recipient => ({
  userId,
  categories: listInApp(categories),
  muted: mutedWorkspaces,
});

/** The recipient of mail at this frequency. */
export const toMailRecipient = (settings: NotificationSettings, frequency: MailFrequency): Recipient => ({
  ...toRecipient(settings),
  categories: listMailed(settings.categories, frequency),
});
