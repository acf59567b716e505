import type { LoadPlan } from '../load/load-plan.js';
import type { Measurement } from '../load/measurement.js';
import { mergeSlices } from '../load/measurement.js';
import { PerformanceRun } from '../runs/run.entity.js';
import { differ, isThroughputComparable, warningsOfComparison } from './comparison-warnings.js';

const runOf = (plan: Partial<LoadPlan> = {}, generator: PerformanceRun['generator'] = 'autocannon'): PerformanceRun =>
  Object.assign(new PerformanceRun(), {
    generator,
    plan: {
      ...{ endpoint: 'http://shop.example/', protocol: 'http/1.1', method: 'GET', model: 'open' },
      ...{ rate: 10, connections: 4, seconds: 30, timeout: 10 },
      ...plan,
    },
  });

/** A plan that goes from 10 requests a second to another rate. */
const rampTo = (rate: number): Partial<LoadPlan> => ({ stages: [{ rate, seconds: 30 }] });
/** The same with its members in another order, as a database may return them. */
const reordered = (rate: number): Partial<LoadPlan> => ({ stages: [{ seconds: 30, rate }] });

const measured = (seconds: number): Measurement => ({ slices: Array.from({ length: seconds }, () => mergeSlices([])) });
const enough = { a: measured(30), b: measured(30) };

describe('the differences of two runs', () => {
  it.each<[string, PerformanceRun, PerformanceRun, string[], boolean]>([
    ['equal plans', runOf(), runOf(), [], true],
    ['equal stages', runOf(rampTo(100)), runOf(reordered(100)), [], true],
    ['a ramp to another rate', runOf(rampTo(100)), runOf(rampTo(200)), ['stages'], false],
    ['stages of the second only', runOf(), runOf(rampTo(100)), ['stages'], false],
    ['stages of the first only', runOf(rampTo(100)), runOf(), ['stages'], false],
    ['another rate', runOf(), runOf({ rate: 20 }), ['rate'], false],
    ['another model', runOf(), runOf({ model: 'closed' }), ['model'], false],
    ['a field of the second only', runOf(), runOf({ initialConnections: 2 }), ['initialConnections'], true],
    ['another generator', runOf(), runOf({}, 'k6'), ['load_generator'], true],
  ])('are found: %s', (_, a, b, differences, isComparable) => {
    expect(differ(a, b)).toEqual(differences);
    expect(isThroughputComparable(a.plan, b.plan)).toBe(isComparable);
  });

  it('come with what they mean', () => {
    expect(warningsOfComparison(runOf(rampTo(100)), runOf(reordered(100)), enough)).toEqual([]);
    expect(warningsOfComparison(runOf(rampTo(100)), runOf(rampTo(200)), enough)).toEqual([
      'the rates that were asked for are not alike (open load of 10 requests/s, to 100 in 30 s, open load of 10 requests/s, to 200 in 30 s): the verdict leaves out the throughput',
    ]);
    expect(warningsOfComparison(runOf(), runOf({ connections: 8 }, 'k6'), { ...enough, b: measured(1) })).toEqual([
      'the connections differ (4 and 8)',
      expect.stringMatching(/^the load generators differ \(autocannon and k6\)/),
      expect.stringMatching(/^a run has fewer than \d+ seconds/),
    ]);
  });
});
