const NAME = /^[A-Za-z][A-Za-z0-9]*([/_+-][A-Za-z0-9]+)*$/;
export const MS_PER_DAY = 86_400_000;
export const MS_PER_MINUTE = 60_000;
const MS_PER_SECOND = 1_000;
/** Zones have had their local mean time before. */
const FIRST_CHANGE = Date.UTC(1800, 0, 1);
const MAX_FORMATS = 500;

/** Reports whether this is the name of an IANA time zone, such as Europe/Berlin. */
export function isTimezone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}

/** What the clock of a zone shows at an instant, as the milliseconds at which a clock of UTC shows the same. */
export function toLocal(instant: number, timezone: string): number {
  return instant + offsetAt(instant, timezone);
}

/**
 * The instants at which the clock of a zone shows a local time: one, or two where clocks go back. A time that the clock leaves out
 * moves forward by the gap (RFC 5545, section 3.3.5).
 */
export function instantsOf(local: number, timezone: string): [first: number, ...second: number[]] {
  const [before, after] = [offsetAt(local - MS_PER_DAY, timezone), offsetAt(local + MS_PER_DAY, timezone)];
  if (before === after) return [local - before];
  const [first, ...others] = [before, after].flatMap((offset) =>
    offsetAt(local - offset, timezone) === offset ? [local - offset] : [],
  );
  return first === undefined ? [local - before] : [first, ...others];
}

/** The instant of a local time, the first one where it comes twice. */
export function toInstant(local: number, timezone: string): number {
  return instantsOf(local, timezone)[0];
}

/** The difference between local time and UTC. */
function offsetAt(instant: number, timezone: string): number {
  const second = Math.floor(Math.max(instant, FIRST_CHANGE) / MS_PER_SECOND) * MS_PER_SECOND;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, seconds = 0] = (
    formatOf(timezone).format(second).match(/\d+/g) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known) return known;
  if (formats.size >= MAX_FORMATS) formats.clear();
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formats.set(timezone, format);
  return format;
}
