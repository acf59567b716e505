/** What calls took, in milliseconds, and how many of them were made each second. */
export interface Latencies {
  rate: number;
  p50: number;
  p99: number;
}

export function summarizeLatencies(times: readonly number[], seconds: number): Latencies {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? NaN;
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}
