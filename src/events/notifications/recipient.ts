import { listInApp, listMailed, type MailFrequency } from './notification-preferences.js';
import { type EndedSilence, listEnded } from './silences.js';
import type { NotificationSettings } from './settings/notification-settings.entity.js';

/** A user with the filter of their notifications. */
export interface Recipient {
  userId: string;
  categories: string[];
  /** Workspaces without notifications. */
  muted: string[];
  /** Times in which there were none about a category or a workspace. */
  silences: EndedSilence[];
}

/** The recipient of in-app notifications. */
export const toRecipient = ({ userId, categories, mutedWorkspaces, silences }: NotificationSettings): Recipient => ({
  userId,
  categories: listInApp(categories),
  muted: mutedWorkspaces,
  silences: listEnded(silences),
});

/** The recipient of mail at this frequency. */
export const toMailRecipient = (settings: NotificationSettings, frequency: MailFrequency): Recipient => ({
  ...toRecipient(settings),
  categories: listMailed(settings.categories, frequency),
  // Whether a category is shown in the application says nothing about mail.
  silences: listEnded(settings.silences).filter(({ workspace }) => workspace !== undefined),
});
