/**
 * Returns the exponential back-off before the next attempt, in milliseconds: `firstMs` doubled per failure, at most
 * `longestMs`, with a jitter of 25 %.
 */
export function backoff(failures: number, firstMs: number, longestMs: number): number {
  const jitter = 0.75 + Math.random() / 2;
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1)) * jitter;
}
