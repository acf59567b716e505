import { EVENT_CATEGORIES } from '../../core/events/event-kinds.js';

/** The age of the oldest notifications in days. */
export const NOTIFICATION_DAYS = 30;

/** When mail about a category is sent: immediately, or in a digest. */
export const EMAIL_FREQUENCIES = ['off', 'realtime', 'hourly', 'daily'] as const;
export type EmailFrequency = (typeof EMAIL_FREQUENCIES)[number];
export type MailFrequency = Exclude<EmailFrequency, 'off'>;
export const MAIL_FREQUENCIES: readonly MailFrequency[] = ['realtime', 'hourly', 'daily'];

/** The preference of a user for one category of events. */
export interface CategoryPreference {
  in_app: boolean;
  email: EmailFrequency;
}

/** Differences from the defaults, by category. */
export type PreferenceOverrides = Record<string, Partial<CategoryPreference>>;

const DEFAULT: CategoryPreference = { in_app: true, email: 'off' };

const DEFAULTS: Record<string, Partial<CategoryPreference>> = {
  // Models arrive by the hundred and concern nobody in particular.
  registry: { in_app: false },
  // Only the owner of an endpoint gets mail about it, immediately, because the endpoint will be disabled.
  webhook: { email: 'realtime' },
};

/** Categories whose mail goes only to the `owner` in the metadata of the event. */
export const OWNER_CATEGORIES: readonly string[] = ['webhook'];

const defaultOf = (category: string): CategoryPreference => ({ ...DEFAULT, ...DEFAULTS[category] });

/** Returns the effective preference of every category. */
export const resolvePreferences = (overrides: PreferenceOverrides): Record<string, CategoryPreference> =>
  Object.fromEntries(
    EVENT_CATEGORIES.map((category) => [category, { ...defaultOf(category), ...overrides[category] }]),
  );

/** Applies a change to preferences; null resets a category to its default. */
export function changePreferences(
  overrides: PreferenceOverrides,
  change: Record<string, Partial<CategoryPreference> | null>,
): PreferenceOverrides {
  const changed: PreferenceOverrides = {};
  for (const [category, now] of Object.entries(resolvePreferences(overrides))) {
    const preset = defaultOf(category);
    const wanted = change[category] === null ? preset : { ...now, ...change[category] };
    const differs = Object.entries(wanted).filter(([key, value]) => value !== preset[key as keyof CategoryPreference]);
    if (differs.length > 0) changed[category] = Object.fromEntries(differs);
  }
  return changed;
}

export const withoutMail = (overrides: PreferenceOverrides): PreferenceOverrides =>
  changePreferences(overrides, Object.fromEntries(EVENT_CATEGORIES.map((category) => [category, { email: 'off' }])));

export const listInApp = (overrides: PreferenceOverrides): string[] => listWhere(overrides, ({ in_app }) => in_app);

export const listMailed = (overrides: PreferenceOverrides, frequency: MailFrequency): string[] =>
  listWhere(overrides, ({ email }) => email === frequency);

/** Lists the categories with immediate mail, except those whose mail goes only to the owner. */
export const listBroadcast = (overrides: PreferenceOverrides): string[] =>
  listMailed(overrides, 'realtime').filter((category) => !OWNER_CATEGORIES.includes(category));

function listWhere(overrides: PreferenceOverrides, holds: (preference: CategoryPreference) => boolean): string[] {
  const all = Object.entries(resolvePreferences(overrides));
  return all.filter(([, preference]) => holds(preference)).map(([category]) => category);
}
