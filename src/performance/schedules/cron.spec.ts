import { findScheduleFaults, nextOccurrence } from './cron.js';

const NOW = new Date('2026-03-28T12:00:00Z');

describe('schedules', () => {
  it('come by the clock of their time zone', () => {
    const schedule = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
    expect(nextOccurrence(schedule, new Date('2026-03-27T12:00:00Z'))?.toISOString()).toBe('2026-03-28T01:30:00.000Z');
    expect(nextOccurrence(schedule, new Date('2026-03-30T12:00:00Z'))?.toISOString()).toBe('2026-03-31T00:30:00.000Z');
  });

  it.each(['*/5 * * * *', '0 3 * * MON', '0 0 29 2 *', '0 0 L * *'])('take %s', (cron) => {
    expect(findScheduleFaults({ cron, timezone: 'UTC' }, NOW)).toEqual([]);
  });

  it.each([
    ['0 0 30 2 *', /never comes/],
    ['0 0 31 4,6,9,11 *', /never comes/],
    ['60 * * * *', /is not a cron expression/],
    ['* * * * * *', /five fields/],
    ['@daily', /five fields/],
    ['', /five fields/],
    [`${'0,'.repeat(100)}0 * * * *`, /five fields/],
  ])('refuse %j', (cron, detail) => {
    expect(findScheduleFaults({ cron, timezone: 'UTC' }, NOW)).toEqual([
      { field: 'cron', detail: expect.stringMatching(detail) as unknown },
    ]);
  });
});
