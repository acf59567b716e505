import { once } from 'node:events';
import { makeApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import type { JobAborted } from '../src/jobs/job-aborted.js';
import { JobSettings } from '../src/jobs/job-settings.js';
import { Jobs } from '../src/jobs/jobs.js';

// A replica in a process of its own, which a test stops and kills: it does jobs that never end by themselves.
const [url = '', queue = '', leaseMs = '0'] = process.argv.slice(2);
const app = await makeApp(Env.read(process.env), url);
Object.assign(app.get(JobSettings), { leaseMs: Number(leaseMs), heartbeatMs: Number(leaseMs) / 10, drainMs: 100 });
await app.init();
app.get(Jobs).handle(queue, {
  concurrency: 1,
  handler: async (_, { signal }) => {
    process.stdout.write('begun\n');
    await once(signal, 'abort');
    process.stdout.write(`${(signal.reason as JobAborted).why}\n`);
    return { by: 'child' };
  },
});
process.stdout.write('ready\n');
