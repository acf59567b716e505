import { InvalidRequest } from '../../core/errors/app-error.js';
import { assertFreezeTimes, findWindowEnd, type FreezeTimes } from './freeze-windows.js';

const freeze = (recurrence: string | null, fields: Partial<FreezeTimes> = {}): FreezeTimes => ({
  startsAt: new Date('2026-01-09T16:00:00Z'),
  endsAt: new Date('2026-01-12T07:00:00Z'),
  recurrence,
  timezone: 'Europe/Berlin',
  ...fields,
});
const EVERY_DAY = 'MO,TU,WE,TH,FR,SA,SU';
const endAt = (times: FreezeTimes, at: string): string | undefined => findWindowEnd(times, new Date(at))?.toISOString();

function faultsOf(times: FreezeTimes): string[] {
  try {
    assertFreezeTimes(times);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return error.errors.map(({ pointer = '', detail }) => `${pointer} ${detail}`);
  }
}

describe('the windows of a freeze', () => {
  it('holds once from its start to its end, which is not part of it', () => {
    const once = freeze(null);
    expect(endAt(once, '2026-01-09T15:59:59Z')).toBeUndefined();
    expect(endAt(once, '2026-01-09T16:00:00Z')).toBe('2026-01-12T07:00:00.000Z');
    expect(endAt(once, '2026-01-12T07:00:00Z')).toBeUndefined();
    expect(endAt(once, '2026-01-17T12:00:00Z')).toBeUndefined();
  });

  it('comes again by the clock of its time zone, over a change of that clock', () => {
    const weekends = freeze('FREQ=WEEKLY;BYDAY=FR');
    expect(endAt(weekends, '2026-01-17T12:00:00Z')).toBe('2026-01-19T07:00:00.000Z');
    expect(endAt(weekends, '2026-07-10T14:59:59Z')).toBeUndefined();
    expect(endAt(weekends, '2026-07-10T15:00:00Z')).toBe('2026-07-13T06:00:00.000Z');
    // The clock goes forward on Sunday, 29 March: the window is an hour shorter.
    expect(endAt(weekends, '2026-03-27T16:00:00Z')).toBe('2026-03-30T06:00:00.000Z');
  });

  it('ends with the last of windows that overlap', () => {
    expect(endAt(freeze('FREQ=DAILY;COUNT=3'), '2026-01-11T17:00:00Z')).toBe('2026-01-14T07:00:00.000Z');
    expect(endAt(freeze('FREQ=DAILY;UNTIL=20260110T235959Z'), '2026-01-11T17:00:00Z')).toBe('2026-01-13T07:00:00.000Z');
  });

  it('ends after as many windows as are counted, however often it is asked', () => {
    const counted = freeze('FREQ=WEEKLY;COUNT=30');
    for (const asked of ['first', 'again']) {
      const last = endAt(counted, '2026-08-01T12:00:00Z');
      expect({ asked, last, after: endAt(counted, '2026-08-08T12:00:00Z') }).toEqual({
        ...{ asked, last: '2026-08-03T06:00:00.000Z', after: undefined },
      });
    }
  });

  it.each([
    'FREQ=WEEKLY;BYDAY=FR',
    'FREQ=MONTHLY;BYDAY=-1FR',
    'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=DAILY;INTERVAL=14',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=100',
    `FREQ=YEARLY;BYDAY=${EVERY_DAY};BYSETPOS=366`,
    'FREQ=MONTHLY;COUNT=300',
    'FREQ=WEEKLY;UNTIL=20300101T000000Z',
  ])('takes the rule %s', (rule) => {
    expect(faultsOf(freeze(rule))).toEqual([]);
  });

  it.each([
    ['every monday', /^\/recurrence must be of FREQ/],
    ['', /^\/recurrence must be of FREQ/],
    ['BYDAY=FR', /must have FREQ/],
    ['FREQ=SECONDLY', /value of FREQ that is not allowed: it must be DAILY, WEEKLY, MONTHLY or YEARLY/],
    ['FREQ=WEEKLY;BYDAY=FRIDAY', /value of BYDAY that is not allowed: it must be days such as FR or -1SU/],
    ['FREQ=DAILY;BYSECOND=1', /must be of FREQ/],
    ['FREQ=DAILY;FREQ=DAILY', /FREQ once/],
    ['FREQ=DAILY;INTERVAL=0', /value of INTERVAL/],
    ['FREQ=DAILY;COUNT=1000000', /value of COUNT/],
    ['FREQ=DAILY;COUNT=2;UNTIL=20270101', /both COUNT and UNTIL/],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', /never comes/],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', /never comes/],
    [`FREQ=MONTHLY;BYDAY=${EVERY_DAY};BYSETPOS=60`, /never comes/],
    [`FREQ=YEARLY;BYDAY=${EVERY_DAY};BYSETPOS=366,-366;BYMONTH=1`, /never comes/],
    ['FREQ=DAILY;COUNT=1', /never comes again/],
    ['FREQ=WEEKLY;UNTIL=20200101', /never comes again/],
    ['FREQ=DAILY\r\nDTSTART:20200101T000000Z', /not allowed/],
  ])('refuses the rule %j in bounded time', (rule, fault) => {
    const began = performance.now();
    expect(faultsOf(freeze(rule))).toEqual([expect.stringMatching(fault)]);
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it('judges rules of many parts within bounded time', () => {
    const days = Array.from({ length: 31 }, (_, index) => index + 1).join(',');
    const rule = `FREQ=YEARLY;INTERVAL=999;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYMONTHDAY=${days};BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-366`;
    const began = performance.now();
    faultsOf(freeze(rule));
    findWindowEnd(freeze('FREQ=DAILY;COUNT=999', { startsAt: new Date('2000-01-01T00:00:00Z') }), new Date());
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it('names every field that is wrong', () => {
    const wrong = freeze('FREQ=DAILY', { endsAt: new Date('2026-01-09T16:00:00Z'), timezone: 'Mars/Olympus' });
    expect(faultsOf(wrong)).toEqual([
      '/ends_at must be after starts_at',
      '/timezone must be an IANA time zone, such as Europe/Berlin',
    ]);
    expect(faultsOf(freeze('FREQ=DAILY', { endsAt: new Date('2026-03-01T00:00:00Z') }))).toEqual([
      '/ends_at must be at most 31 days after starts_at when the freeze recurs',
    ]);
  });
});
