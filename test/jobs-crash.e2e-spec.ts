import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { JobSettings } from '../src/jobs/job-settings.js';
import { JobsService } from '../src/jobs/jobs.service.js';
import { enqueue, until } from './jobs-replica.js';
import { compiledProgram } from './support/programs.js';
import { World } from './support/world.js';

const LEASE_MS = 2_000;
/** Longer than any wait of these tests. */
const LONG_LEASE_MS = 600_000;

let world: World;
let jobs: JobsService;
const children: ChildProcess[] = [];

beforeAll(async () => {
  world = await World.start();
  jobs = world.get(JobsService);
  Object.assign(world.get(JobSettings), { heartbeatMs: 100 });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await world.stop();
});

/** Starts a replica in a process of its own and hands a job to it. */
async function startChild(
  queue: string,
  leaseMs: number,
): Promise<{ child: ChildProcess; lines: string[]; id: string }> {
  const program = await compiledProgram('test/jobs-worker.ts');
  const child = spawn(process.execPath, [program, world.get(DatabaseUrl).href, queue, String(leaseMs)], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  await until(() => lines.includes('ready'));
  const { id } = await enqueue(jobs, queue);
  await until(() => lines.includes('begun'));
  return { child, lines, id };
}

it('another replica takes over from one that was killed, long before its lease has run out', async () => {
  const { child, id } = await startChild('killed', LONG_LEASE_MS);
  child.kill('SIGKILL');
  await once(child, 'exit');
  jobs.registerHandler('killed', { concurrency: 1, handle: ({ attempt }) => Promise.resolve({ attempt }) });
  const job = await jobs.waitUntilFinished(id, { timeoutMs: 20_000 });
  expect(job).toMatchObject({ status: 'succeeded', result: { attempt: 2 }, losses: 1, failures: 0 });
}, 120_000);

it('one that slept through its lease is aborted when it wakes, and what it did does not count', async () => {
  const { child, lines, id } = await startChild('asleep', LEASE_MS);
  child.kill('SIGSTOP');
  jobs.registerHandler('asleep', {
    concurrency: 1,
    handle: ({ attempt }) => Promise.resolve({ by: 'another', attempt }),
  });
  const job = await jobs.waitUntilFinished(id, { timeoutMs: 20_000 });
  expect(job).toMatchObject({ status: 'succeeded', result: { by: 'another', attempt: 2 }, losses: 1 });
  child.kill('SIGCONT');
  await until(() => lines.includes('lease lost'));
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(await jobs.waitUntilFinished(id, { timeoutMs: 0 })).toEqual(job);
}, 120_000);
