import { emptyHistogram, type LatencyHistogram, LatencyRecorder, mergeHistograms } from '../load/latency-histogram.js';
import type { Measurement, RunTotals } from '../load/measurement.js';
import type { Stall } from '../load/stalls.js';
import { createRandom } from './bootstrap.js';
import { compareMeasurements, type Verdict } from './compare.js';

/** A run of a server that answers in about 20 ms: requests differ, and so do seconds, the more alike the nearer. */
function measured(seed: number, { slower = 1, failed = 0, seconds = 20, tail = 0 } = {}): Measurement {
  const random = createRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let drift = 0;
  const slices = Array.from({ length: seconds }, (_, second) => {
    drift = drift / 2 + 0.04 * normal();
    const recorder = new LatencyRecorder();
    for (let request = 0; request < 100; request++)
      recorder.record(random() < tail ? 0.5 : 0.02 * slower * Math.exp(drift + 0.3 * normal()));
    const statuses = { '200': 100 - failed, '500': failed };
    return { start: second * 1_000, length: 1_000, bytes: 0, statuses, errors: {}, latencies: recorder.toHistogram() };
  });
  return { slices };
}

function totalsOf(stalls: Stall[]): RunTotals {
  const recorder = new LatencyRecorder();
  recorder.record(0.02, 2_000);
  const service = recorder.toHistogram();
  const none = emptyHistogram();
  return {
    ...{ service, firstByte: service, connect: none, wait: none, lag: none, stalls },
    ...{ due: 2_000, sent: 2_000, connections: 2 },
  };
}

const verdicts = (than: Parameters<typeof measured>[1]): Record<Verdict, number> => {
  const counts: Record<Verdict, number> = { same: 0, better: 0, worse: 0 };
  for (let seed = 1; seed <= 20; seed++)
    counts[compareMeasurements({ a: measured(7_919 * seed), b: measured(7_919 * (seed + 1_000), than) }).verdict] += 1;
  return counts;
};

describe('comparing two runs', () => {
  it('finds runs of one server the same, and of a server that is 30 % slower or faster not', () => {
    expect(verdicts({}).same).toBeGreaterThanOrEqual(19);
    expect(verdicts({ slower: 1.3 }).worse).toBe(20);
    expect(verdicts({ slower: 0.7 }).better).toBe(20);
  });

  it('finds a slower tail and stalls, which the median does not show', () => {
    expect(verdicts({ tail: 0.025 }).worse).toBe(20);
    const stalled = (length: number): Measurement => ({ ...measured(3), totals: totalsOf([{ at: 4_000, length }]) });
    const steady = { ...measured(1), totals: totalsOf([]) };
    const { verdict, figures } = compareMeasurements({ a: steady, b: stalled(3_000) });
    expect(verdict).toBe('worse');
    expect(figures.at(-1)).toEqual({
      ...{ name: 'stalled_share', a: 0, b: 0.15, difference: 0.15, relative: null, verdict: 'worse' },
      interval: [expect.closeTo(0.1375), expect.closeTo(0.1625)],
    });
    expect(compareMeasurements({ a: stalled(3_000), b: steady }).verdict).toBe('better');
    expect(compareMeasurements({ a: steady, b: stalled(300) }).verdict).toBe('same');
    expect(compareMeasurements({ a: steady, b: measured(3) }).figures.map(({ name }) => name)).not.toContain(
      'stalled_share',
    );
  });

  it('finds errors, whatever the latency', () => {
    const { verdict, figures } = compareMeasurements({ a: measured(1), b: measured(2, { slower: 0.8, failed: 2 }) });
    expect(verdict).toBe('worse');
    expect(figures.find(({ name }) => name === 'error_rate')).toMatchObject({ a: 0, b: 0.02, verdict: 'worse' });
    expect(figures.find(({ name }) => name === 'p50_ms')).toMatchObject({ verdict: 'better' });
  });

  it('leaves out a throughput that was not asked alike', () => {
    const twice = ({ slices }: Measurement): Measurement => ({
      slices: slices.map((slice) => ({ ...slice, latencies: mergeHistograms([slice.latencies, slice.latencies]) })),
    });
    const pair = { a: measured(1), b: twice(measured(1)) };
    expect(compareMeasurements(pair).verdict).toBe('better');
    const { verdict, figures } = compareMeasurements({ ...pair, ignoresThroughput: true });
    expect(verdict).toBe('same');
    expect(figures.find(({ name }) => name === 'rps')).toMatchObject({ a: 100, b: 200, relative: 1 });
  });

  it('compares runs that do not vary, of which one answers nothing, and of different lengths', () => {
    const recorder = new LatencyRecorder();
    recorder.record(0.02, 100);
    const even = (latencies: LatencyHistogram, errors = {}, seconds = 10): Measurement => ({
      slices: Array.from({ length: seconds }, (_, second) => ({
        ...{ start: second * 1_000, length: 1_000, bytes: 0, statuses: {}, errors, latencies },
      })),
    });
    const steady = even(recorder.toHistogram());
    expect(compareMeasurements({ a: steady, b: steady })).toMatchObject({ verdict: 'same' });
    const slower = new LatencyRecorder();
    slower.record(0.023, 100);
    const compared = compareMeasurements({ a: steady, b: even(slower.toHistogram()) });
    expect(compared.verdict).toBe('worse');
    for (const { interval, difference } of compared.figures) {
      expect(interval[0]).toBeLessThanOrEqual(difference);
      expect(interval[1]).toBeGreaterThanOrEqual(difference);
    }
    const silent = even(emptyHistogram(), { 'no response in time': 100 });
    for (const pair of [
      { a: steady, b: silent },
      { a: silent, b: silent },
    ]) {
      const { verdict, figures } = compareMeasurements(pair);
      expect(verdict).toBe(pair.a === pair.b ? 'same' : 'worse');
      expect(JSON.stringify(figures)).not.toMatch(/null,null|NaN/);
    }
    expect(compareMeasurements({ a: measured(1, { seconds: 6 }), b: measured(2, { seconds: 120 }) }).verdict).toBe(
      'same',
    );
  });

  it('gives the same answer again, and one for runs of a single part or none', () => {
    const pair = { a: measured(1, { seconds: 1 }), b: measured(2, { seconds: 1, slower: 1.5 }) };
    expect(compareMeasurements(pair)).toEqual(compareMeasurements(pair));
    expect(compareMeasurements(pair).verdict).toBe('worse');
    expect(compareMeasurements({ a: { slices: [] }, b: { slices: [] } }).verdict).toBe('same');
  });
});
