import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';

/** The maximum points of a series in a range query; Prometheus has the same limit. */
export const MAX_POINTS = 11_000;

const UNIX_SECONDS = /^\d{1,11}(\.\d{1,9})?$/;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
const SECONDS = /^\d{1,9}(\.\d{1,9})?$/;
/** Units from the largest to the smallest, each at most once. */
const DURATION =
  /^(?=\d)(?:(\d{1,4})y)?(?:(\d{1,6})w)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;
const SECONDS_OF_UNITS = [365 * 86_400, 7 * 86_400, 86_400, 3_600, 60, 1, 0.001];

/** Parses a time in RFC 3339 or Unix seconds. @returns Unix seconds; undefined for an invalid time */
export function parseTime(text: string): number | undefined {
  if (UNIX_SECONDS.test(text)) return Number(text);
  const milliseconds = RFC_3339.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

/** Parses a duration in seconds (`15`, `0.5`) or in Prometheus format (`1m30s`). @returns seconds; undefined unless it is a positive duration */
export function parseDuration(text: string): number | undefined {
  const units = DURATION.exec(text)?.slice(1);
  const seconds = SECONDS.test(text)
    ? Number(text)
    : units?.reduce((sum, count, index) => sum + Number(count ?? 0) * (SECONDS_OF_UNITS[index] ?? 0), 0);
  return seconds !== undefined && seconds > 0 ? seconds : undefined;
}

/** @throws InvalidRequest when the end is before the start, or the range has too many points */
export function assertRange({ start, end, step }: { start?: string; end?: string; step?: string }): void {
  const [from, to] = [parseTime(start ?? '') ?? 0, parseTime(end ?? '') ?? Infinity];
  const points = Math.floor((to - from) / (parseDuration(step ?? '') ?? Infinity)) + 1;
  const fault: Fault | undefined =
    to < from
      ? { pointer: 'end', detail: 'is before start' }
      : points > MAX_POINTS
        ? { pointer: 'step', detail: `makes ${points} points of each series; at most ${MAX_POINTS} are answered` }
        : undefined;
  if (fault)
    throw InvalidRequest.forField(fault.pointer ?? '', fault.detail, 'Choose a longer step or a shorter range.');
}
