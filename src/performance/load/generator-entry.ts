import process from 'node:process';
import { AutocannonLoad } from './autocannon.js';
import { FortioLoad } from './fortio.js';
import { K6Load } from './k6.js';
import type { GeneratorTask } from './load-plan.js';
import type { Slice } from './measurement.js';

/** The messages of a generator process: measurements, elapsed seconds, and the end. */
export type GeneratorMessage = { slice: Slice } | { seconds: number } | { end: true; error?: string };

const send = (message: GeneratorMessage, sent = (): void => undefined): void => void process.send?.(message, sent);
const report = (slice: Slice): void => send({ slice });

/** The process that drives the load of one run. It and its child processes end with the run or with the server. */
function leave(status: number): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.exit(status);
  }
}

function toLoad(task: GeneratorTask): { run: () => Promise<void> } {
  if (task.generator === 'fortio') return new FortioLoad(task, report, (seconds) => send({ seconds }));
  return task.generator === 'k6' ? new K6Load(task, report) : new AutocannonLoad(task, report);
}

process.on('disconnect', () => leave(1));
process.once('message', (task: GeneratorTask) => {
  toLoad(task)
    .run()
    .then(
      () => send({ end: true }, () => leave(0)),
      (error: unknown) => send({ end: true, error: error instanceof Error ? error.message : '' }, () => leave(1)),
    );
});
