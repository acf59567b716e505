import { parsePrometheusDuration } from '../../core/durations.js';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';

/** The maximum points of a series in a range query; Prometheus has the same limit. */
export const MAX_POINTS = 11_000;

const UNIX_SECONDS = /^\d{1,11}(\.\d{1,9})?$/;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
/** Parses a time in RFC 3339 or Unix seconds. @returns Unix seconds; undefined for an invalid time */
export function parseTime(text: string): number | undefined {
  if (UNIX_SECONDS.test(text)) return Number(text);
  const milliseconds = RFC_3339.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

/** @throws InvalidRequest when the end is before the start, or the range has too many points */
export function assertRange({ start, end, step }: { start?: string; end?: string; step?: string }): void {
  const [from, to] = [parseTime(start ?? '') ?? 0, parseTime(end ?? '') ?? Infinity];
  const points = Math.floor((to - from) / (parsePrometheusDuration(step ?? '') ?? Infinity)) + 1;
  const fault: Fault | undefined =
    to < from
      ? { pointer: 'end', detail: 'is before start' }
      : points > MAX_POINTS
        ? { pointer: 'step', detail: `makes ${points} points of each series; at most ${MAX_POINTS} are returned` }
        : undefined;
  if (fault)
    throw InvalidRequest.forField(fault.pointer ?? '', fault.detail, 'Choose a longer step or a shorter range.');
}
