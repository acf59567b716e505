import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { AutocannonLoad } from './autocannon.js';
import { FortioLoad } from './fortio.js';
import { K6Load } from './k6.js';
import type { GeneratorTask } from './load-plan.js';
import type { RunTotals, Slice } from './measurement.js';

/** The messages of a generator process: measurements, elapsed seconds, and the end. */
export type GeneratorMessage =
  { slice: Slice } | { seconds: number } | { end: true; totals?: RunTotals; error?: string };

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

function toLoad(task: GeneratorTask): { run: () => Promise<RunTotals | void> } {
  if (task.generator === 'fortio') return new FortioLoad(task, report, (seconds) => send({ seconds }));
  return task.generator === 'k6' ? new K6Load(task, report) : new AutocannonLoad(task, report);
}

/** Loads slower than this are measured right also while code is being compiled. */
const WARM_UP_RATE = 200;
const WARM_UP_SECONDS = 0.4;

/** Drives a server of this process for a moment, so that compiling the generator is no part of what is measured of the target. */
async function warmUp({ plan, ...task }: GeneratorTask): Promise<void> {
  const server = createServer((_, response) => void response.end('warm'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const own = { model: 'closed' as const, rate: 10_000, connections: 4, seconds: WARM_UP_SECONDS, stages: [] };
  const endpoint = `http://127.0.0.1:${port}/`;
  const load = new AutocannonLoad(
    { ...task, headers: {}, address: '127.0.0.1', plan: { ...plan, ...own, initialConnections: 4, endpoint } },
    () => undefined,
  );
  await load.run();
  server.closeAllConnections();
  server.close();
}

async function drive(task: GeneratorTask): Promise<RunTotals | void> {
  const { generator, plan } = task;
  const fastest = Math.max(plan.rate, ...(plan.stages ?? []).map(({ rate }) => rate));
  if (generator === 'autocannon' && fastest >= WARM_UP_RATE) await warmUp(task);
  return toLoad(task).run();
}

process.on('disconnect', () => leave(1));
process.once('message', (task: GeneratorTask) => {
  drive(task).then(
    (totals) => send({ end: true, ...(totals ? { totals } : {}) }, () => leave(0)),
    (error: unknown) => send({ end: true, error: error instanceof Error ? error.message : '' }, () => leave(1)),
  );
});
