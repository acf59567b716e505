import { createApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import { SETTINGS } from './support/settings.js';

// A whole server in a process of its own, which a test kills while it watches clusters.
const [url = '', keys = '{}'] = process.argv.slice(2);
const app = await createApp(
  Env.parse({ ...SETTINGS, CLUSTER_WATCH: 'on', ...(JSON.parse(keys) as Record<string, string>) }),
  url,
);
await app.init();
process.stdout.write('ready\n');
