import { setTimeout as wait } from 'node:timers/promises';

const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 50;

/**
 * Waits for what comes by itself, such as a message; fails when it has not come after a while, long enough for a busy machine. It looks
 * less often the longer it waits, for looking takes processor time from what it waits for.
 */
export async function until(holds: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
  const start = Date.now();
  while (!(await holds())) {
    const waited = Date.now() - start;
    if (waited > ms) throw new Error(`waited in vain: ${holds.toString()}`);
    await wait(Math.min(MIN_PAUSE_MS + waited / 20, MAX_PAUSE_MS));
  }
}
