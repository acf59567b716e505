import { createApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import { JobSettings } from '../src/jobs/job-settings.js';
import { SETTINGS } from './support/settings.js';

// A whole server in a process of its own, which a test kills while it deploys.
const [url = '', leaseMs = '0'] = process.argv.slice(2);
const app = await createApp(Env.parse({ ...SETTINGS, CLUSTER_INSECURE_TLS: 'true' }), url);
Object.assign(app.get(JobSettings), { leaseMs: Number(leaseMs), heartbeatMs: Number(leaseMs) / 5 });
process.stdin.once('data', () => void app.init().then(() => process.stdout.write('begun\n')));
process.stdout.write('ready\n');
