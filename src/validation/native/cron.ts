const NAMES: Record<string, string[]> = {
  month: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  weekday: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
};
const FIELDS: [name: string, least: number, most: number][] = [
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day', 1, 31],
  ['month', 1, 12],
  ['weekday', 0, 6],
];
const SHORTHANDS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

/** The error in the schedule of a CronJob, in cron format with five fields; undefined when it is valid. */
export function cronFault(schedule: string): string | undefined {
  if (schedule.includes('TZ=') || schedule.includes('CRON_TZ'))
    return 'cannot use TZ or CRON_TZ in schedule, use timeZone instead';
  const text = schedule.trim();
  if (text.startsWith('@every '))
    return /^@every\s+(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(text) ? undefined : `failed to parse duration ${text}`;
  if (text.startsWith('@')) return SHORTHANDS.has(text) ? undefined : `unrecognized descriptor: ${text}`;
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) return `expected exactly 5 fields, found ${fields.length}: [${text}]`;
  for (const [index, [name, least, most]] of FIELDS.entries())
    for (const part of (fields[index] ?? '').split(',')) {
      const fault = partFault(part, name, least, most);
      if (fault) return fault;
    }
  return undefined;
}

function partFault(part: string, name: string, least: number, most: number): string | undefined {
  const [range = '', step, ...rest] = part.split('/');
  if (rest.length > 0) return `too many slashes: ${part}`;
  if (step !== undefined && !(/^\d+$/.test(step) && Number(step) > 0))
    return `step of range should be a positive number: ${part}`;
  if (range === '*' || range === '?') return undefined;
  const [first = '', last, ...more] = range.split('-');
  if (more.length > 0) return `too many hyphens: ${part}`;
  const from = valueOf(first, name, least);
  const to = last === undefined ? from : valueOf(last, name, least);
  if (from === undefined || to === undefined) return `failed to parse int from ${part}`;
  if (from < least) return `beginning of range (${from}) below minimum (${least}): ${part}`;
  if (to > most) return `end of range (${to}) above maximum (${most}): ${part}`;
  return from > to ? `beginning of range (${from}) beyond end of range (${to}): ${part}` : undefined;
}

function valueOf(text: string, name: string, least: number): number | undefined {
  const named = NAMES[name]?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + least;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
