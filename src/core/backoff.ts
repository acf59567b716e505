/** Milliseconds to pause before the next try: twice as long after each failure, up to a longest, give or take a quarter. */
export function backoff(failures: number, firstMs: number, longestMs: number): number {
  const jitter = 0.75 + Math.random() / 2;
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1)) * jitter;
}
