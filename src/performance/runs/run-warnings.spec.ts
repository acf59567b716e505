import type { LoadPlan } from '../load/load-plan.js';
import type { Summary } from '../load/runner-results.js';
import { PerformanceRun } from './run.entity.js';
import { warningsOf } from './run-warnings.js';

const OPEN: LoadPlan = {
  ...{ endpoint: 'http://shop.example/', protocol: 'http/1.1', method: 'GET', model: 'open' },
  ...{ rate: 100, connections: 4, seconds: 30, timeout: 10 },
};

/** The figures of a run that needs no warning. */
const GOOD: Summary = {
  ...{ requests: 3_000, errors: 0, error_rate: 0, successful: 3_000, rps: 100, due_rps: 100, sent_rps: 100 },
  ...{ bytes_per_second: 500, mean_ms: 20, min_ms: 15, p50_ms: 20, p75_ms: 22, p90_ms: 25, p95_ms: 28, p99_ms: 40 },
  ...{ p999_ms: 50, max_ms: 60, service_p50_ms: 20, service_p99_ms: 40 },
  ...{ waited: 0, stalled_seconds: 0, generator_lag_ms: 1 },
};

const warn = (
  summary: Partial<Summary>,
  plan: Partial<LoadPlan> = {},
  run: Partial<Pick<PerformanceRun, 'status' | 'restarts'>> = {},
): string[] =>
  warningsOf(
    Object.assign(new PerformanceRun(), {
      ...{ plan: { ...OPEN, ...plan }, summary: { ...GOOD, ...summary }, status: 'succeeded', restarts: 0, ...run },
    }),
  );

/** Figures as they are of a generator that measures no totals. */
const UNMEASURED = { due_rps: null, sent_rps: null, waited: null, generator_lag_ms: null };

describe('the warnings of a run', () => {
  it.each<[string, string[]]>([
    ['good figures', warn({})],
    ['figures that the generator does not measure', warn(UNMEASURED)],
    ['a rate that was kept', warn({ sent_rps: 98 })],
    ['fewer than 1 % that waited', warn({ waited: 29 })],
    ['a lag of 5 ms', warn({ generator_lag_ms: 5 })],
    ['a lag of a tenth of the median', warn({ p50_ms: 200, generator_lag_ms: 20 })],
    ['an error rate of 5 %', warn({ errors: 150, error_rate: 0.05 })],
  ])('are none for %s', (_, warnings) => {
    expect(warnings).toEqual([]);
  });

  it.each<[string, string[], RegExp]>([
    [
      'connections that were busy',
      warn({ waited: 30 }),
      /^every connection was busy when 30 of 3000 requests were due/,
    ],
    ['a rate that was not kept', warn({ sent_rps: 97.9 }), /^the rate was not kept: 97\.9 requests\/s .* of 100 req/],
    [
      'a generator that was late',
      warn({ generator_lag_ms: 5.1 }),
      /^the load generator was late .* by 5\.1 ms and more/,
    ],
    [
      'a generator that was late by more than a tenth of the median',
      warn({ p50_ms: 200, generator_lag_ms: 21 }),
      /^the load generator was late/,
    ],
    ['a run that was begun anew', warn({}, {}, { restarts: 1 }), /^the run was begun anew once, as the server was/],
    ['one that was so twice', warn({}, {}, { restarts: 2 }), /^the run was begun anew 2 times/],
    [
      'a run that was cancelled',
      warn({}, {}, { status: 'cancelled' }),
      /^the run was cancelled before its end: .* 30 s$/,
    ],
    ['a run that failed', warn({}, {}, { status: 'failed' }), /^the run failed before its end/],
    ['no success', warn({ successful: 0 }), /^no response was 2xx/],
    ['few requests', warn({ requests: 999 }), /^of 999 requests p99\.9 is little else/],
    ['hardly any requests', warn({ requests: 99 }), /^of 99 requests p99 and p99\.9 are little else/],
    ['many errors', warn({ errors: 180, error_rate: 0.06 }), /^180 of 3000 requests failed/],
    ['a closed load', warn({ ...UNMEASURED, rps: 96 }, { model: 'closed' }), /coordinated omission\)$/],
    [
      'a closed load that came up to its rate, which is an upper bound that need not be kept',
      warn({ rps: 97, sent_rps: 90 }, { model: 'closed' }),
      /coordinated omission\); and the throughput is the rate of 100 requests\/s/,
    ],
  ])('say so of %s', (_, warnings, expected) => {
    expect(warnings).toEqual([expect.stringMatching(expected)]);
  });

  it('are none without figures', () => {
    expect(warningsOf(Object.assign(new PerformanceRun(), { plan: OPEN, summary: null, status: 'failed' }))).toEqual(
      [],
    );
  });
});
