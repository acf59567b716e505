import { setTimeout as wait } from 'node:timers/promises';

/** Waits for what comes by itself, such as a message; fails when it has not come after a while, long enough for a busy machine. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${holds.toString()}`);
    await wait(5);
  }
}
