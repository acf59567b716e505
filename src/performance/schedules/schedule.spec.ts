import { findScheduleFaults, nextOccurrence } from './schedule.js';

const NOW = new Date('2026-03-28T12:00:00Z');
const BERLIN = 'Europe/Berlin';

/** The times of a schedule on the days around a moment, in UTC. */
function timesOf(cron: string, [from, to]: [string, string], timezone = BERLIN): string[] {
  const times: string[] = [];
  let at = nextOccurrence({ cron, timezone }, new Date(Date.parse(from) - 1));
  for (; at && at < new Date(to); at = nextOccurrence({ cron, timezone }, at))
    times.push(at.toISOString().slice(11, 16));
  return times;
}

describe('schedules', () => {
  it('come by the clock of their time zone', () => {
    const schedule = { cron: '30 2 * * *', timezone: BERLIN };
    expect(nextOccurrence(schedule, new Date('2026-03-27T12:00:00Z'))?.toISOString()).toBe('2026-03-28T01:30:00.000Z');
    expect(nextOccurrence(schedule, new Date('2026-03-30T12:00:00Z'))?.toISOString()).toBe('2026-03-31T00:30:00.000Z');
  });

  it.each([
    ['30 2 * * *', ['01:30']],
    ['0,30 2 * * *', ['01:00', '01:30']],
    ['30,45 2 * * *', ['01:30', '01:45']],
    ['0-10/5 2 * * *', ['01:00', '01:05', '01:10']],
    ['*/30 2 * * *', ['01:00', '01:30']],
    ['30 2,3 * * *', ['01:30']],
    ['30 1-3 * * *', ['00:30', '01:30']],
    ['0 * * * *', ['00:00', '01:00', '02:00']],
  ])('%s: a time that the clock leaves out moves forward by the gap', (cron, times) => {
    expect(timesOf(cron, ['2026-03-29T00:00Z', '2026-03-29T03:00Z']).filter((time) => time < '02:30')).toEqual(times);
  });

  it.each([
    ['30 2 * * *', ['00:30']],
    ['0,30 2 * * *', ['00:00', '00:30']],
    ['*/30 2 * * *', ['00:00', '00:30']],
    ['30 1-3 * * *', ['00:30', '02:30']],
    ['30 2,3 * * *', ['00:30', '02:30']],
    ['5 */2 * * *', ['00:05']],
    ['30 * * * *', ['00:30', '01:30', '02:30']],
  ])('%s: a time that comes twice is its first, except of every hour', (cron, times) => {
    expect(timesOf(cron, ['2026-10-25T00:00Z', '2026-10-25T03:00Z'])).toEqual(times);
  });

  it('joins the days of the month and of the week by OR unless one begins with *', () => {
    const days = (cron: string) => {
      const [from, to] = [new Date('2026-01-01T00:00Z'), new Date('2026-02-01T00:00Z')];
      const found: number[] = [];
      let at = nextOccurrence({ cron, timezone: 'UTC' }, new Date(from.getTime() - 1));
      for (; at && at < to; at = nextOccurrence({ cron, timezone: 'UTC' }, at)) found.push(at.getUTCDate());
      return found;
    };
    expect(days('0 0 13 * FRI')).toEqual([2, 9, 13, 16, 23, 30]);
    expect(days('0 0 */2 * FRI')).toEqual([9, 23]);
    expect(days('0 0 1-7 * */7')).toEqual([4]);
    expect(days('0 0 L,1 * *')).toEqual([1, 31]);
    expect(days('0 0 * * FRIL')).toEqual([30]);
    expect(days('0 0 * * MON#2,7#1')).toEqual([4, 12]);
    expect(days('0 0 * * SAT-SUN')).toEqual([3, 4, 10, 11, 17, 18, 24, 25, 31]);
    expect(days('@weekly')).toEqual([4, 11, 18, 25]);
  });

  it.each(['*/5 * * * *', '0 3 * * MON', '0 0 29 2 *', '0 0 L * *', '@daily', '@Hourly', '0 0 1 jan-mar 5l'])(
    'take %s',
    (cron) => {
      expect(findScheduleFaults({ cron, timezone: 'UTC' }, NOW)).toEqual([]);
    },
  );

  it('have no next time when they are invalid', () => {
    expect(nextOccurrence({ cron: '0 0 15W * *', timezone: 'UTC' }, NOW)).toBeNull();
  });

  it.each([
    ['0 0 30 2 *', /never comes/],
    ['0 0 31 4,6,9,11 *', /never comes/],
    ['60 * * * *', /has "60" in the minute/],
    ['* * * * * *', /five fields/],
    ['@reboot', /five fields.*@daily/],
    ['', /five fields/],
    [`${'0,'.repeat(100)}0 * * * *`, /five fields/],
    ['0 0 ? * 1', /"\?" in the day of the month: write \*/],
    ['0 0 15W * *', /nearest working day is not offered/],
    ['0 0 L-3 * *', /only L, the last day, is offered/],
    ['0 0 * * L', /as FRIL/],
    ['0 0 * * 5-2', /range 5-2 in the day of the week, which runs backwards/],
    ['*/0 * * * *', /has the step \*\/0 in the minute/],
    ['0 0 * * MON#6', /has "MON#6" in the day of the week/],
    ['1,,2 * * * *', /has "" in the minute/],
  ])('refuse %j and say why', (cron, detail) => {
    expect(findScheduleFaults({ cron, timezone: 'UTC' }, NOW)).toEqual([
      { field: 'cron', detail: expect.stringMatching(detail) as unknown },
    ]);
  });
});
