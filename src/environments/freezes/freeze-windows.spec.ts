import { InvalidRequest } from '../../core/errors/app-error.js';
import { assertFreezeTimes, findNextTimes, type FreezeTimes } from './freeze-windows.js';

const freeze = (recurrence: string | null, fields: Partial<FreezeTimes> = {}): FreezeTimes => ({
  startsAt: new Date('2026-01-09T16:00:00Z'),
  endsAt: new Date('2026-01-12T07:00:00Z'),
  recurrence,
  timezone: 'Europe/Berlin',
  ...fields,
});
const EVERY_DAY = 'MO,TU,WE,TH,FR,SA,SU';
const findWindowEnd = (times: FreezeTimes, at: Date): Date | null => findNextTimes(times, at).activeUntil;
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

  const from = (timezone: string, startsAt: string, endsAt: string, recurrence = 'FREQ=DAILY') =>
    freeze(recurrence, { startsAt: new Date(startsAt), endsAt: new Date(endsAt), timezone });
  const windowAfter = (times: FreezeTimes, at: string) => {
    const { nextStartsAt } = findNextTimes(times, new Date(at));
    return nextStartsAt && [nextStartsAt.toISOString(), findWindowEnd(times, nextStartsAt)?.toISOString()];
  };

  it.each([
    ['Europe/Berlin', '2026-03-22T01:30Z', '2026-03-22T05:00Z', '2026-03-29T01:30', '2026-03-29T04:00'],
    ['Africa/Cairo', '2026-04-20T22:00Z', '2026-04-21T22:00Z', '2026-04-23T22:00', '2026-04-24T21:00'],
    ['Asia/Beirut', '2026-03-20T22:00Z', '2026-03-21T22:00Z', '2026-03-28T22:00', '2026-03-29T21:00'],
    ['America/Santiago', '2026-09-01T04:00Z', '2026-09-02T04:00Z', '2026-09-06T04:00', '2026-09-07T03:00'],
    ['Africa/Casablanca', '2026-11-28T11:00Z', '2026-11-28T12:00Z', '2029-01-14T12:00', '2029-01-14T13:00'],
    // A window that the clock leaves out as a whole.
    ['Europe/Berlin', '2026-03-22T01:10Z', '2026-03-22T01:50Z', '2026-03-29T01:10', '2026-03-29T01:50'],
    ['Europe/Berlin', '2026-03-22T01:30Z', '2026-03-22T02:00Z', '2026-03-29T01:30', '2026-03-29T02:00'],
    // A time that comes twice is its first.
    ['Europe/Berlin', '2026-10-20T00:30Z', '2026-10-20T02:00Z', '2026-10-25T00:30', '2026-10-25T03:00'],
  ])('%s, from %s: a start that does not exist moves forward by the gap', (timezone, startsAt, endsAt, start, end) => {
    const times = from(timezone, startsAt, endsAt);
    const before = new Date(Date.parse(`${start}Z`) - 1).toISOString();
    expect(windowAfter(times, before)).toEqual([`${start}:00.000Z`, `${end}:00.000Z`]);
  });

  it('counts the window of a day whose clock changes', () => {
    const times = from('Europe/Berlin', '2026-03-27T01:30Z', '2026-03-27T01:40Z', 'FREQ=DAILY;COUNT=3');
    expect(windowAfter(times, '2026-03-28T12:00Z')).toEqual(['2026-03-29T01:30:00.000Z', '2026-03-29T01:40:00.000Z']);
    expect(windowAfter(times, '2026-03-29T12:00Z')).toBeNull();
  });

  it('says when windows start and end next', () => {
    const times = freeze('FREQ=WEEKLY;COUNT=2');
    const at = (moment: string) =>
      Object.values(findNextTimes(times, new Date(moment))).map((time) => time && time.toISOString().slice(0, 13));
    expect(at('2026-01-01T00:00Z')).toEqual([null, '2026-01-09T16', '2026-01-12T07']);
    expect(at('2026-01-10T00:00Z')).toEqual(['2026-01-12T07', '2026-01-16T16', '2026-01-12T07']);
    expect(at('2026-01-14T00:00Z')).toEqual([null, '2026-01-16T16', '2026-01-19T07']);
    expect(at('2026-01-17T00:00Z')).toEqual(['2026-01-19T07', null, '2026-01-19T07']);
    expect(at('2026-01-20T00:00Z')).toEqual([null, null, null]);
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
    'freq=monthly;byday=+01fr',
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
    ['FREQ=DAILY;COUNT=2;UNTIL=20270101T000000Z', /both COUNT and UNTIL/],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', /never comes/],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', /never comes/],
    [`FREQ=MONTHLY;BYDAY=${EVERY_DAY};BYSETPOS=60`, /never comes/],
    [`FREQ=YEARLY;BYDAY=${EVERY_DAY};BYSETPOS=366,-366;BYMONTH=1`, /never comes/],
    ['FREQ=DAILY;COUNT=1', /never comes again/],
    ['FREQ=WEEKLY;UNTIL=20200101T000000Z', /never comes again/],
    ['FREQ=WEEKLY;UNTIL=20300101', /value of UNTIL that is not allowed: it must be a time in UTC/],
    ['FREQ=WEEKLY;BYDAY=1MO', /must not have a number in BYDAY with FREQ=WEEKLY/],
    ['FREQ=DAILY;BYDAY=-1MO', /must not have a number in BYDAY with FREQ=DAILY/],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO', /must not have a number in BYDAY beside BYWEEKNO/],
    ['FREQ=WEEKLY;BYMONTHDAY=13', /must not have BYMONTHDAY with FREQ=WEEKLY/],
    ['FREQ=MONTHLY;BYWEEKNO=20', /must not have BYWEEKNO with FREQ=MONTHLY/],
    ['FREQ=MONTHLY;BYYEARDAY=100', /must not have BYYEARDAY with FREQ=MONTHLY/],
    ['FREQ=MONTHLY;BYSETPOS=1', /must not have BYSETPOS without another part/],
    ['FREQ=DAILY\r\nDTSTART:20200101T000000Z', /not allowed/],
  ])('refuses the rule %j in bounded time', (rule, fault) => {
    const began = performance.now();
    expect(faultsOf(freeze(rule))).toEqual([expect.stringMatching(fault)]);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('judges rules of many parts within bounded time', () => {
    const days = Array.from({ length: 31 }, (_, index) => index + 1).join(',');
    const rule = `FREQ=YEARLY;INTERVAL=999;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYMONTHDAY=${days};BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-366`;
    const began = performance.now();
    faultsOf(freeze(rule));
    findWindowEnd(freeze('FREQ=DAILY;COUNT=999', { startsAt: new Date('2000-01-01T00:00:00Z') }), new Date());
    expect(performance.now() - began).toBeLessThan(2_000);
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
