import { ArrivalSchedule } from './arrival-schedule.js';

/** The times at which requests are due, taken every millisecond. */
function timesOf(plan: ConstructorParameters<typeof ArrivalSchedule>[0]): number[] {
  const schedule = new ArrivalSchedule(plan);
  const times: number[] = [];
  for (let now = 0; now <= plan.seconds * 1_000; now++)
    for (let due = schedule.take(now); due !== null; due = schedule.take(now)) times.push(due);
  expect(times).toHaveLength(schedule.total);
  return times;
}

const perSecond = (times: readonly number[]): number[] =>
  times.reduce<number[]>((counts, time) => {
    const second = Math.floor(time / 1_000);
    counts[second] = (counts[second] ?? 0) + 1;
    return counts;
  }, []);

describe('the schedule of requests', () => {
  it('has rate times duration requests, at even distances, also with fractions', () => {
    const times = timesOf({ model: 'open', rate: 2.5, seconds: 4 });
    expect(times).toEqual(
      [0, 400, 800, 1_200, 1_600, 2_000, 2_400, 2_800, 3_200, 3_600].map((time): unknown => expect.closeTo(time, 6)),
    );
    expect(timesOf({ model: 'open', rate: 0.5, seconds: 4 })).toEqual([0, expect.closeTo(2_000, 6)]);
  });

  it('ramps and steps', () => {
    const stages = [
      { rate: 100, seconds: 2 },
      { rate: 20, seconds: 0 },
      { rate: 20, seconds: 2 },
    ];
    const counts = perSecond(timesOf({ model: 'open', rate: 0, seconds: 4, stages }));
    // The integral of the rate in each second: 25 and 75 of the ramp, then 20.
    expect(counts).toEqual([25, 75, 20, 20]);
  });

  it('knows what is due of an open model, also while nobody takes it', () => {
    const schedule = new ArrivalSchedule({ model: 'open', rate: 100, seconds: 10 });
    expect([-1, 0, 5_000, 60_000].map((now) => schedule.backlog(now))).toEqual([0, 1, 501, 1_000]);
    while (schedule.take(5_000) !== null);
    expect([5_000, 10_000].map((now) => schedule.backlog(now))).toEqual([0, 499]);
    expect(new ArrivalSchedule({ model: 'closed', rate: 100, seconds: 10 }).backlog(5_000)).toBe(0);
  });

  it('has an upper bound in a closed model, which does not catch up', () => {
    const schedule = new ArrivalSchedule({ model: 'closed', rate: 100, seconds: 10 });
    expect(schedule.take(0)).toBe(0);
    const atOnce = Array.from({ length: 100 }, () => schedule.take(5_000)).filter((due) => due !== null);
    expect(atOnce.length).toBeLessThanOrEqual(3);
    expect(schedule.take(10_000)).toBeNull();
  });
});
