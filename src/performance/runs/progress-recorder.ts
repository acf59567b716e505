import { percentile } from '../load/latency-histogram.js';
import { type Slice, sumOf } from '../load/measurement.js';
import { countFailures } from '../load/runner-results.js';
import type { RunProgress } from './run.entity.js';

/** The last part of a run is often a sliver, whose rate says nothing; of a part this short the figures of the one before stay. */
const LEAST_PART_MS = 500;

/** Records the progress of a run so far. */
export class ProgressRecorder {
  private figures = { rps: 0, p50_ms: 0, p99_ms: 0 };
  private requests = 0;
  private errors = 0;

  constructor(
    /** The seconds of the run. */
    private readonly of: number,
  ) {}

  add(slice: Slice): RunProgress {
    const { start, length, latencies, errors } = slice;
    const toMs = (value: number): number => Number((value * 1_000).toPrecision(4));
    this.requests += latencies.count + sumOf(errors);
    this.errors += countFailures(slice);
    if (length >= LEAST_PART_MS)
      this.figures = {
        rps: Math.round((latencies.count / length) * 1_000),
        p50_ms: toMs(percentile(latencies, 50)),
        p99_ms: toMs(percentile(latencies, 99)),
      };
    return this.tick(Math.round((start + length) / 1_000));
  }

  /** Time has passed, and no more is known. */
  tick(seconds: number): RunProgress {
    const { of, requests, errors, figures } = this;
    return { seconds, of, requests, errors, ...figures };
  }
}
