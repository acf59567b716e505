import { trimTextEnd } from '../../core/trim-text.js';

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Parses RFC 3339 as Go does. @returns nanoseconds since 1970; undefined for an invalid timestamp */
export function parseTimestamp(text: string): bigint | undefined {
  if (text.length > 64) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHour, zoneMinute] =
    RFC3339.exec(text) ?? [];
  const date = year && month && day ? parseDate(`${year}-${month}-${day}`) : undefined;
  if (date === undefined || !hour || !minute || !second) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(zoneHour ?? 0) > 24 || Number(zoneMinute ?? 0) > 60) return undefined;
  const zone = (sign === '-' ? -1 : 1) * (Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0));
  const seconds = date + Number(hour) * 3600 + (Number(minute) - zone) * 60 + Number(second);
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

/** Parses `2006-01-02`. @returns seconds since 1970; undefined for an invalid date */
export function parseDate(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (!year || !month || !day) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && Number(month) > 0 && date.getUTCDate() === Number(day)
    ? date.getTime() / 1000
    : undefined;
}

/** Whether it has the format `date-time` of custom resources, which does not check the range of the UTC offset. */
export function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hour = '', minute = '', second = ''] = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  return parseDate(date) !== undefined && hour !== '' && hour <= '23' && minute <= '59' && second <= '59';
}

/** Formats `2006-01-02T15:04:05.1Z`, as Go does. */
export function timestampText(nanos: bigint): string {
  const second = 1_000_000_000n;
  const within = ((nanos % second) + second) % second;
  const whole = new Date(Number((nanos - within) / 1_000_000n)).toISOString().slice(0, 19);
  const fraction = trimTextEnd(String(within).padStart(9, '0'), /0/);
  return `${whole}${fraction && `.${fraction}`}Z`;
}
