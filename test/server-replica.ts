import { createApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import { JobSettings } from '../src/jobs/job-settings.js';
import { SETTINGS } from './support/settings.js';

// A whole server in a process of its own, which a test kills while it works. It calls receivers on loopback.
const [url = '', leaseMs = '0'] = process.argv.slice(2);
const app = await createApp(Env.parse({ ...SETTINGS, OUTBOUND_ALLOW: '127.0.0.0/8' }), url);
Object.assign(app.get(JobSettings), { leaseMs: Number(leaseMs), heartbeatMs: Number(leaseMs) / 5 });
await app.listen(0, '127.0.0.1');
process.stdout.write(`ready at ${(await app.getUrl()).replace('[::1]', '127.0.0.1')}\n`);
