import { once } from 'node:events';
import type { JobAborted } from '../src/jobs/job-aborted.js';
import { JobsService } from '../src/jobs/jobs.service.js';
import { startReplica } from './jobs-replica.js';

// A replica in a process of its own, which a test stops and kills: it does jobs that never end by themselves.
const [url = '', queue = '', leaseMs = '0'] = process.argv.slice(2);
const replica = await startReplica(url, {
  leaseMs: Number(leaseMs),
  heartbeatMs: Number(leaseMs) / 10,
  drainMs: 100,
});
replica.get(JobsService).registerHandler(queue, {
  concurrency: 1,
  handle: async (_, { signal }) => {
    process.stdout.write('begun\n');
    await once(signal, 'abort');
    process.stdout.write(`${(signal.reason as JobAborted).reason}\n`);
    return { by: 'child' };
  },
});
process.stdout.write('ready\n');
