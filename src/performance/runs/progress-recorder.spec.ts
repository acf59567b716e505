import { LatencyRecorder } from '../load/latency-histogram.js';
import type { Slice } from '../load/measurement.js';
import { ProgressRecorder } from './progress-recorder.js';

function slice(start: number, length: number, count: number, latency: number): Slice {
  const recorder = new LatencyRecorder();
  recorder.record(latency, count);
  const statuses = { '200': count - 1, '500': 1 };
  return { start, length, bytes: 0, statuses, errors: { 'no response in time': 2 }, latencies: recorder.toHistogram() };
}

describe('the progress of a run', () => {
  it('has the figures of the last whole part, and counts the requests of a sliver', () => {
    const progress = new ProgressRecorder(2);
    const near = (ms: number): unknown => expect.closeTo(ms, -Math.floor(Math.log10(ms * 0.02)));
    expect(progress.tick(0)).toEqual({ seconds: 0, of: 2, requests: 0, errors: 0, rps: 0, p50_ms: 0, p99_ms: 0 });
    const figures = { rps: 20, p50_ms: near(100), p99_ms: near(100) };
    expect(progress.add(slice(0, 1_000, 10, 0.05))).toMatchObject({ seconds: 1, requests: 12, errors: 3, rps: 10 });
    expect(progress.add(slice(1_000, 1_000, 20, 0.1))).toEqual({
      seconds: 2,
      of: 2,
      requests: 34,
      errors: 6,
      ...figures,
    });
    // 4 responses in 40 ms are no rate of 100/s.
    expect(progress.add(slice(2_000, 40, 4, 0.5))).toEqual({ seconds: 2, of: 2, requests: 40, errors: 9, ...figures });
    expect(progress.add(slice(2_040, 500, 5, 0.5))).toMatchObject({ seconds: 3, requests: 47, rps: 10 });
  });
});
