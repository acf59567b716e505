import { LatencyRecorder } from '../load/latency-histogram.js';
import type { Measurement } from '../load/measurement.js';
import { createRandom } from './bootstrap.js';
import { compareMeasurements, type Verdict } from './compare.js';

/** A run of a server that answers in about 20 ms: requests differ, and so do seconds, the more alike the nearer. */
function measured(seed: number, { slower = 1, failed = 0, seconds = 20 } = {}): Measurement {
  const random = createRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let drift = 0;
  const slices = Array.from({ length: seconds }, (_, second) => {
    drift = drift / 2 + 0.04 * normal();
    const recorder = new LatencyRecorder();
    for (let request = 0; request < 100; request++) recorder.record(0.02 * slower * Math.exp(drift + 0.3 * normal()));
    const statuses = { '200': 100 - failed, '500': failed };
    return { start: second * 1_000, length: 1_000, bytes: 0, statuses, errors: {}, latencies: recorder.toHistogram() };
  });
  return { slices };
}

const verdicts = (than: Parameters<typeof measured>[1]): Record<Verdict, number> => {
  const counts: Record<Verdict, number> = { same: 0, better: 0, worse: 0 };
  for (let seed = 1; seed <= 20; seed++)
    counts[compareMeasurements({ a: measured(seed), b: measured(seed + 1_000, than) }).verdict] += 1;
  return counts;
};

describe('comparing two runs', () => {
  it('judges runs of one server the same, and of a server that is 10 % slower or faster not, 19 times of 20', () => {
    expect(verdicts({}).same).toBeGreaterThanOrEqual(19);
    expect(verdicts({ slower: 1.1 }).worse).toBeGreaterThanOrEqual(19);
    expect(verdicts({ slower: 0.9 }).better).toBeGreaterThanOrEqual(19);
  });

  it('judges errors, whatever the latency', () => {
    const { verdict, figures } = compareMeasurements({ a: measured(1), b: measured(2, { slower: 0.8, failed: 2 }) });
    expect(verdict).toBe('worse');
    expect(figures.find(({ name }) => name === 'error_rate')).toMatchObject({ a: 0, b: 0.02, verdict: 'worse' });
    expect(figures.find(({ name }) => name === 'p50_ms')).toMatchObject({ verdict: 'better' });
  });

  it('gives the same answer again, and one for runs of a single part or none', () => {
    const pair = { a: measured(1, { seconds: 1 }), b: measured(2, { seconds: 1, slower: 1.5 }) };
    expect(compareMeasurements(pair)).toEqual(compareMeasurements(pair));
    expect(compareMeasurements(pair).verdict).toBe('worse');
    expect(compareMeasurements({ a: { slices: [] }, b: { slices: [] } }).verdict).toBe('same');
  });
});
