import { GeneratorProcess } from '../../src/performance/load/generator-process.js';
import { bucketBounds, LatencyRecorder, percentile } from '../../src/performance/load/latency-histogram.js';
import type { LoadGenerator, LoadPlan } from '../../src/performance/load/load-plan.js';
import {
  type Measurement,
  MeasurementCollector,
  mergeSlices,
  type Slice,
  sumOf,
} from '../../src/performance/load/measurement.js';

const FIXED = { protocol: 'http/1.1', method: 'GET', timeout: 10 } as const;

export type Plan = Pick<LoadPlan, 'model' | 'rate' | 'seconds' | 'connections' | 'initialConnections'>;

/** One run, as the server makes it. */
export async function drive(
  endpoint: string,
  plan: Plan,
  generator: LoadGenerator = 'autocannon',
): Promise<Measurement> {
  const collector = new MeasurementCollector();
  await new GeneratorProcess({
    ...{ generator, plan: { endpoint, ...FIXED, ...plan }, headers: {}, body: '', address: '127.0.0.1' },
    program: process.env['K6_BIN'],
  }).run(new AbortController().signal, {
    report: (slice) => collector.add(slice),
    tick: () => undefined,
    finish: (totals) => collector.finish(totals),
  });
  return collector.toMeasurement();
}

/** What generators are compared by: answers a second, and milliseconds. */
export interface Figures {
  rate: number;
  mean: number;
  p50: number;
  p90: number;
  p99: number;
  unsent: number;
}

export function toFigures({ slices }: Measurement): Figures {
  return figuresOf(mergeSlices(slices));
}

/**
 * As wrk counts: an answer that took longer than two rounds of its connection represents those that could not be sent during it, each
 * of which would have waited one round less.
 */
export function toFiguresOfWrk({ slices }: Measurement, connections: number): Figures {
  const whole = mergeSlices(slices);
  const { latencies, length } = whole;
  const round = (length / 1_000 / latencies.count) * connections;
  const recorder = new LatencyRecorder();
  for (const [bucket, times] of latencies.buckets) {
    const { start, end } = bucketBounds(bucket);
    const latency = (start + end) / 2;
    recorder.record(latency, times);
    if (latency >= 2 * round)
      for (let left = latency - round; left > round; left -= round) recorder.record(left, times);
  }
  const { rate } = figuresOf(whole);
  return { ...figuresOf({ ...whole, latencies: recorder.toHistogram() }), rate };
}

function figuresOf({ latencies, length, errors }: Slice): Figures {
  const at = (share: number): number => percentile(latencies, share) * 1_000;
  const [rate, mean] = [(latencies.count / length) * 1_000, (latencies.sum / latencies.count) * 1_000];
  return { rate, mean, p50: at(50), p90: at(90), p99: at(99), unsent: sumOf(errors) };
}
