/** Counts of latencies in buckets that grow by 2 %, so that percentiles are accurate to 1 %. */
export interface LatencyHistogram {
  /** Pairs of a bucket and its count, by bucket. */
  buckets: [number, number][];
  count: number;
  /** Seconds. */
  sum: number;
  sumOfSquares: number;
  min: number;
  max: number;
}

const GROWTH = 1.02;
const LOG_GROWTH = Math.log(GROWTH);
/** The end of the first bucket, which is the resolution. */
const LEAST_SECONDS = 1e-6;
/** The last bucket contains all latencies above 10 minutes. */
const LAST_BUCKET = Math.ceil(Math.log(600 / LEAST_SECONDS) / LOG_GROWTH);

const bucketOf = (seconds: number): number =>
  seconds <= LEAST_SECONDS ? 0 : Math.min(LAST_BUCKET, Math.ceil(Math.log(seconds / LEAST_SECONDS) / LOG_GROWTH));

/** The bounds of a bucket in seconds. */
export const bucketBounds = (bucket: number): { start: number; end: number } => ({
  start: bucket === 0 ? 0 : LEAST_SECONDS * GROWTH ** (bucket - 1),
  end: LEAST_SECONDS * GROWTH ** bucket,
});

export const emptyHistogram = (): LatencyHistogram => ({
  buckets: [],
  count: 0,
  sum: 0,
  sumOfSquares: 0,
  min: 0,
  max: 0,
});

/** Records latencies into a histogram. */
export class LatencyRecorder {
  private readonly counts = new Map<number, number>();
  private count = 0;
  private sum = 0;
  private sumOfSquares = 0;
  private min = Infinity;
  private max = 0;

  record(seconds: number, times = 1): void {
    const bucket = bucketOf(seconds);
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + times);
    this.count += times;
    this.sum += seconds * times;
    this.sumOfSquares += seconds * seconds * times;
    this.min = Math.min(this.min, seconds);
    this.max = Math.max(this.max, seconds);
  }

  toHistogram(): LatencyHistogram {
    const { count, sum, sumOfSquares, max } = this;
    const buckets = [...this.counts].sort(([a], [b]) => a - b);
    return { buckets, count, sum, sumOfSquares, min: count === 0 ? 0 : this.min, max };
  }
}

/** Merges histograms; one may occur several times. */
export function mergeHistograms(histograms: readonly LatencyHistogram[]): LatencyHistogram {
  const counts = new Float64Array(LAST_BUCKET + 1);
  const merged = { ...emptyHistogram(), min: Infinity };
  for (const { buckets, count, sum, sumOfSquares, min, max } of histograms) {
    if (count === 0) continue;
    for (const [bucket, times] of buckets) counts[bucket] = (counts[bucket] ?? 0) + times;
    merged.count += count;
    merged.sum += sum;
    merged.sumOfSquares += sumOfSquares;
    merged.min = Math.min(merged.min, min);
    merged.max = Math.max(merged.max, max);
  }
  counts.forEach((times, bucket) => times > 0 && merged.buckets.push([bucket, times]));
  return merged.count === 0 ? emptyHistogram() : merged;
}

/** Returns a percentile (0 to 100) of the latencies in seconds. */
export function percentile({ buckets, count, min, max }: LatencyHistogram, share: number): number {
  const wanted = (share / 100) * count;
  let passed = 0;
  for (const [bucket, times] of buckets) {
    if (passed + times >= wanted) {
      const { start, end } = bucketBounds(bucket);
      const within = start + (end - start) * ((wanted - passed) / times);
      return Math.min(max, Math.max(min, within));
    }
    passed += times;
  }
  return max;
}

export const mean = ({ count, sum }: LatencyHistogram): number => (count === 0 ? 0 : sum / count);

export function standardDeviation({ count, sum, sumOfSquares }: LatencyHistogram): number {
  return count === 0 ? 0 : Math.sqrt(Math.max(0, sumOfSquares / count - (sum / count) ** 2));
}
