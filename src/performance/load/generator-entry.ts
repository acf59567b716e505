import process from 'node:process';
import { AutocannonLoad } from './autocannon.js';
import type { GeneratorTask } from './load-plan.js';
import type { Slice } from './measurement.js';

/** What the process of a generator sends: what it measured, then that it has ended. */
export type GeneratorMessage = { slice: Slice } | { end: true };

/** This process drives the load of one run and ends with it, or with the server that started it. */
process.on('disconnect', () => process.exit(1));
process.once('message', (task: GeneratorTask) => {
  const load = new AutocannonLoad(task, (slice) => process.send?.({ slice } satisfies GeneratorMessage));
  void load.run().then(() => process.send?.({ end: true } satisfies GeneratorMessage, () => process.exit(0)));
});
