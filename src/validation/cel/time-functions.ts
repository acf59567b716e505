import type { CelFunction, CelFunctions } from './run.js';
import { CelDuration, CelError, CelTimestamp } from './values.js';

const SECOND = 1_000_000_000n;
const DAY_MS = 86_400_000;

/** A field of a timestamp, in UTC or in the time zone given as an argument. */
function datePart(read: (local: Date) => number): CelFunction {
  return ([moment, zone]) => {
    if (!(moment instanceof CelTimestamp) || (zone !== undefined && typeof zone !== 'string')) return undefined;
    return BigInt(read(inZone(Number(moment.nanos / 1_000_000n), zone)));
  };
}

/** A field of a timestamp, or a duration in whole units of `unit` nanoseconds. */
function datePartOrDuration(unit: bigint, read: (local: Date) => number): CelFunction {
  const part = datePart(read);
  return (args, run) => (args[0] instanceof CelDuration ? args[0].nanos / unit : part(args, run));
}

export const TIME_METHODS: CelFunctions = {
  getFullYear: datePart((local) => local.getUTCFullYear()),
  getMonth: datePart((local) => local.getUTCMonth()),
  getDate: datePart((local) => local.getUTCDate()),
  getDayOfMonth: datePart((local) => local.getUTCDate() - 1),
  getDayOfWeek: datePart((local) => local.getUTCDay()),
  getDayOfYear: datePart((local) => Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY_MS)),
  getHours: datePartOrDuration(3600n * SECOND, (local) => local.getUTCHours()),
  getMinutes: datePartOrDuration(60n * SECOND, (local) => local.getUTCMinutes()),
  getSeconds: datePartOrDuration(SECOND, (local) => local.getUTCSeconds()),
  getMilliseconds: ([value, zone], run) =>
    value instanceof CelDuration
      ? (value.nanos % SECOND) / 1_000_000n
      : datePart((local) => local.getUTCMilliseconds())(
          zone === undefined ? [value ?? null] : [value ?? null, zone],
          run,
        ),
};

/** A date whose UTC fields are the local time of the zone. */
function inZone(ms: number, zone: string | undefined): Date {
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone ?? '00:00') ?? [];
  if (hours !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
    return new Date(ms + offset * 60_000);
  }
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return inZone(ms, name.replace('GMT', '') || '00:00');
  } catch {
    throw new CelError(`unknown time zone ${zone}`, 'unknown time zone');
  }
}
