/** What calls took, in milliseconds, and how many of them were made each second. */
export interface Latencies {
  rate: number;
  p50: number;
  p99: number;
}

/**
 * Calls again and again from so many callers at once, each of whom waits for the answer.
 * @param call answers its status
 * @throws Error when a status is not 2xx
 */
export async function measureLatencies(
  callers: number,
  seconds: number,
  call: () => Promise<number>,
): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const caller = async (): Promise<void> => {
    for (let begun = performance.now(); begun < end; begun = performance.now()) {
      const status = await call();
      if (status < 200 || status > 299) throw new Error(`a call was answered ${status}`);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return times;
}

export function summarizeLatencies(times: readonly number[], seconds: number): Latencies {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? NaN;
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}
