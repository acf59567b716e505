import { listInApp, listMailed, type MailFrequency } from './notification-preferences.js';
import type { NotificationSettings } from './settings/notification-settings.entity.js';

/** Whose notifications they are, and which events they are notified of. */
export interface Recipient {
  userId: string;
  categories: string[];
  /** Workspaces without notifications. */
  muted: string[];
}

/** Who reads them in the application. */
export const toRecipient = ({ userId, categories, mutedWorkspaces }: NotificationSettings): Recipient => ({
  userId,
  categories: listInApp(categories),
  muted: mutedWorkspaces,
});

/** Who gets mail of them at this frequency. */
export const toMailRecipient = (settings: NotificationSettings, frequency: MailFrequency): Recipient => ({
  ...toRecipient(settings),
  categories: listMailed(settings.categories, frequency),
});
