import { nextDigest } from './mail-schedule.js';

const next = (after: string, digestAt: string, timezone = 'Europe/Berlin') =>
  nextDigest('daily', { timezone, digestAt }, new Date(after))?.toISOString();

describe('the next digest', () => {
  it.each([
    ['2026-01-10T06:00:00Z', '08:00', '2026-01-10T07:00:00.000Z'],
    ['2026-01-10T07:00:00Z', '08:00', '2026-01-11T07:00:00.000Z'],
    // Clocks go forward on 29 March 2026 at 02:00: the digest stays at 08:00, and 02:30 is not there.
    ['2026-03-28T07:00:00Z', '08:00', '2026-03-29T06:00:00.000Z'],
    ['2026-03-28T12:00:00Z', '02:30', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29T01:30:00Z', '02:30', '2026-03-30T00:30:00.000Z'],
    // They go back on 25 October at 03:00: 02:30 comes twice, and the digest once.
    ['2026-10-24T12:00:00Z', '02:30', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T00:30:00Z', '02:30', '2026-10-26T01:30:00.000Z'],
    ['2026-10-25T01:00:00Z', '02:30', '2026-10-26T01:30:00.000Z'],
  ])('after %s at %s is %s', (after, digestAt, expected) => {
    expect(next(after, digestAt)).toBe(expected);
  });

  it('is at the local time of the reader', () => {
    expect(next('2026-01-10T06:00:00Z', '08:00', 'Asia/Kolkata')).toBe('2026-01-11T02:30:00.000Z');
    expect(next('2026-01-10T06:00:00Z', '23:59', 'Pacific/Kiritimati')).toBe('2026-01-10T09:59:00.000Z');
  });

  it('is on the hour when it is hourly', () => {
    const at = (after: string) => nextDigest('hourly', { timezone: 'UTC', digestAt: '08:00' }, new Date(after));
    expect(at('2026-01-10T06:00:00Z')?.toISOString()).toBe('2026-01-10T07:00:00.000Z');
    expect(at('2026-01-10T06:59:59.999Z')?.toISOString()).toBe('2026-01-10T07:00:00.000Z');
    for (const [timezone, expected] of [
      ['Asia/Kolkata', '2026-01-10T06:30:00.000Z'],
      ['Asia/Kathmandu', '2026-01-10T06:15:00.000Z'],
      ['America/St_Johns', '2026-01-10T06:30:00.000Z'],
    ] as const)
      expect(
        nextDigest('hourly', { timezone, digestAt: '08:00' }, new Date('2026-01-10T06:00:00Z'))?.toISOString(),
      ).toBe(expected);
    // Lord Howe puts its clocks back by half an hour on 5 April 2026 at 02:00: each digest is later than the one before.
    const howe = ['2026-04-04T14:30:00Z'];
    for (let n = 0; n < 4; n++)
      howe.push(
        nextDigest(
          'hourly',
          { timezone: 'Australia/Lord_Howe', digestAt: '08:00' },
          new Date(howe.at(-1) ?? ''),
        )?.toISOString() ?? '',
      );
    expect(howe.slice(1).map((at) => at.slice(11, 16))).toEqual(['15:00', '15:30', '16:30', '17:30']);
    expect(nextDigest('realtime', { timezone: 'UTC', digestAt: '08:00' }, new Date())).toBeNull();
  });
});
