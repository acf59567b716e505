import { appendFileSync } from 'node:fs';
import { cloneDatabase } from '../../test/support/database.js';
import { askTestRun } from '../../test/support/test-run.js';

/** What a test file does before its first test; the times go to the file that BENCH_BOOT_FILE names. */
export async function bootWorld(): Promise<void> {
  await askTestRun('database'); // made once for a run, whichever file comes first
  const cpu = process.cpuUsage();
  const began = performance.now();
  const { World } = await import('../../test/support/world.js');
  const loaded = performance.now();
  const world = await World.start();
  const started = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  const database = await cloneDatabase();
  const cloned = performance.now();
  const times = { load: loaded - began, start: started - loaded, clone: cloned - started, cpu: (user + system) / 1000 };
  appendFileSync(process.env['BENCH_BOOT_FILE'] ?? '/dev/null', `${JSON.stringify(times)}\n`);
  await database.drop();
  await world.stop();
}
