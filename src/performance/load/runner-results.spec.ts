import { emptyHistogram, LatencyRecorder } from './latency-histogram.js';
import type { Measurement, RunTotals, Slice } from './measurement.js';
import { summarize } from './runner-results.js';

/** Parts of a second, with the rest in the last one, and as many responses of one latency spread over them. */
function measured(milliseconds: number, responses: number, latency: number): Measurement {
  const parts = Math.ceil(milliseconds / 1_000);
  const slices = Array.from({ length: parts }, (_, part): Slice => {
    const recorder = new LatencyRecorder();
    const [before, after] = [part, part + 1].map((count) => Math.round((responses * count) / parts)) as [
      number,
      number,
    ];
    recorder.record(latency, after - before);
    const length = Math.min(1_000, milliseconds - part * 1_000);
    return {
      ...{ start: part * 1_000, length, bytes: 100 * (after - before), errors: {} },
      ...{ statuses: { '200': after - before }, latencies: recorder.toHistogram() },
    };
  });
  return { slices };
}

const totalsOf = (service: number, fields: Partial<RunTotals> = {}): RunTotals => {
  const recorder = new LatencyRecorder();
  recorder.record(service, 200);
  const none = emptyHistogram();
  const latencies = recorder.toHistogram();
  return {
    ...{ service: latencies, firstByte: latencies, connect: none, wait: none, lag: none, stalls: [] },
    ...{ due: 200, sent: 200, connections: 2, ...fields },
  };
};

describe('the figures of a run', () => {
  it.each<[string, Measurement, number]>([
    // The last request is due after 9.95 s, and has its response half a second later.
    ['responds to 20 requests a second in time', measured(10_450, 200, 0.5), 20],
    ['does so at once', measured(10_000, 200, 0.001), 20],
    ['takes 2 s for each response', measured(11_950, 200, 2), 20],
    // The latencies include the wait for a connection; the time of the server is 50 ms.
    ['does not keep up', { ...measured(20_050, 200, 5), totals: totalsOf(0.05) }, 10],
  ])('have the throughput of a server that %s', (_, measurement, rps) => {
    expect(summarize(measurement, { seconds: 10 }).rps).toBeCloseTo(rps, 1);
  });

  it('count a server that keeps exactly 20/s as 20/s', () => {
    expect(summarize(measured(10_450, 200, 0.5), { seconds: 10 })).toMatchObject({
      ...{ rps: 20, bytes_per_second: 2_000, requests: 200, successful: 200, errors: 0, error_rate: 0 },
      ...{ due_rps: null, sent_rps: null, service_p99_ms: null, waited: null, generator_lag_ms: null },
    });
  });

  it('count requests without a response and with an error status as failed, and rates by the planned duration', () => {
    const { slices } = measured(2_000, 100, 0.05);
    const [first, last] = slices as [Slice, Slice];
    const failing = [
      { ...first, statuses: { '204': 30, '302': 10, '404': 10 } },
      { ...last, errors: { 'no response in time': 25 } },
    ];
    const wait = new LatencyRecorder();
    wait.record(0.2, 7);
    const totals = totalsOf(0.04, { due: 125, sent: 100, wait: wait.toHistogram() });
    expect(summarize({ slices: failing, totals }, { seconds: 2 })).toMatchObject({
      ...{ requests: 125, errors: 35, error_rate: 0.28, successful: 80 },
      ...{ due_rps: 62.5, sent_rps: 50, waited: 7, service_p50_ms: expect.closeTo(40, 0) as unknown },
    });
    expect(summarize({ slices: [] }, { seconds: 2 })).toMatchObject({ requests: 0, error_rate: 0, rps: 0 });
  });
});
