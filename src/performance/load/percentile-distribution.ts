import { bucketBounds, type LatencyHistogram, mean, percentile, standardDeviation } from './latency-histogram.js';

/** Returns latencies in milliseconds as HdrHistogram writes them: value, percentile, count up to it, and 1/(1-percentile). */
export function toPercentileDistribution(latencies: LatencyHistogram): string {
  const { buckets, count, max } = latencies;
  const rows: string[] = [];
  let passed = 0;
  for (const [bucket, times] of buckets) {
    passed += times;
    const value = Math.min(max, bucketBounds(bucket).end) * 1_000;
    const share = passed / count;
    const inverse = passed === count ? '' : (1 / (1 - share)).toFixed(2).padStart(14);
    rows.push(`${toMs(value)} ${share.toFixed(12)} ${String(passed).padStart(10)} ${inverse}`.trimEnd());
  }
  return [
    '       Value     Percentile TotalCount 1/(1-Percentile)',
    '',
    ...rows,
    `#[Mean    = ${toMs(mean(latencies) * 1_000)}, StdDeviation   = ${toMs(standardDeviation(latencies) * 1_000)}]`,
    `#[Max     = ${toMs(percentile(latencies, 100) * 1_000)}, Total count    = ${String(count).padStart(12)}]`,
    `#[Buckets = ${String(buckets.length).padStart(12)}, SubBuckets     = ${String(1).padStart(12)}]`,
    '',
  ].join('\n');
}

const toMs = (value: number): string => value.toFixed(3).padStart(12);
