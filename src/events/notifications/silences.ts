import { MS_PER_DAY } from '../../core/calendar/time-zone.js';
import { EVENT_CATEGORIES } from '../../core/events/event-kinds.js';
import { listInApp, NOTIFICATION_DAYS, type PreferenceOverrides } from './notification-preferences.js';

/** A time in which a category or a workspace had no notifications. */
export interface Silence {
  category?: string;
  workspace?: string;
  /** ISO 8601; null when it began before times were kept, or by default. */
  since: string | null;
  /** Null while it lasts. */
  until: string | null;
}

/** An ended silence. Those that last follow from the settings themselves. */
export type EndedSilence = Silence & { until: string };

/** What settings switch off. */
interface Preferences {
  categories: PreferenceOverrides;
  mutedWorkspaces: string[];
}

/** Above this number, the silences of one category or workspace become one, from the first to the last. */
const MAX_SILENCES = 200;

export const listEnded = (silences: readonly Silence[]): EndedSilence[] =>
  silences.filter((one): one is EndedSilence => one.until !== null);

/** Begins a silence for what is switched off by a change of settings, and ends it for what is switched on again. */
export function changeSilences(before: Preferences & { silences: Silence[] }, after: Preferences, at: Date): Silence[] {
  const [was, is] = [listSilent(before), listSilent(after)];
  const now = at.toISOString();
  const silences = before.silences.map((one) =>
    one.until === null && !is.has(keyOf(one)) ? { ...one, until: now } : one,
  );
  const lasting = new Set(before.silences.filter(({ until }) => until === null).map(keyOf));
  for (const [key, one] of was)
    if (!is.has(key) && !lasting.has(key)) silences.push({ ...one, since: null, until: now });
  for (const [key, one] of is) if (!was.has(key)) silences.push({ ...one, since: now, until: null });
  const oldest = new Date(at.getTime() - (NOTIFICATION_DAYS + 1) * MS_PER_DAY).toISOString();
  const kept = silences.filter(({ until }) => until === null || until > oldest);
  return kept.length > MAX_SILENCES ? merge(kept) : kept;
}

type Silent = Pick<Silence, 'category' | 'workspace'>;

function listSilent({ categories, mutedWorkspaces }: Preferences): Map<string, Silent> {
  const inApp = new Set(listInApp(categories));
  const silent: Silent[] = [
    ...EVENT_CATEGORIES.filter((category) => !inApp.has(category)).map((category) => ({ category })),
    ...mutedWorkspaces.map((workspace) => ({ workspace })),
  ];
  return new Map(silent.map((one) => [keyOf(one), one]));
}

const keyOf = ({ category, workspace }: Silent): string => category ?? workspace ?? '';

function merge(silences: Silence[]): Silence[] {
  const ended = new Map<string, EndedSilence>();
  for (const one of listEnded(silences)) {
    const first = ended.get(keyOf(one));
    ended.set(keyOf(one), first ? { ...first, until: one.until } : one);
  }
  return [...ended.values(), ...silences.filter(({ until }) => until === null)];
}
