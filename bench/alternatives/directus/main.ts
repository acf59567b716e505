import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../../support/server.js';

/**
 * Directus over the product's database: it answers any table there, and adds tables of its own. It is no dependency; its version is
 * the last that runs on Node.js 20.
 */
const TOKEN = 'benchmark-token-of-the-administrator';
const STARTED_WITHIN_MS = 120_000;

const listensOn = String(await findPort());
const url = `http://127.0.0.1:${listensOn}`;
Object.assign(process.env, {
  ...{ HOST: '127.0.0.1', PORT: listensOn, PUBLIC_URL: url, SECRET: process.env['JWT_SECRET'] },
  ...{ DB_CLIENT: 'pg', DB_CONNECTION_STRING: process.env['DATABASE_URL'] },
  ...{ ADMIN_TOKEN: TOKEN, TELEMETRY: 'false', CACHE_ENABLED: 'false', RATE_LIMITER_ENABLED: 'false' },
});
process.chdir(import.meta.dirname);
const cli = join(import.meta.dirname, 'node_modules', 'directus', 'cli.js');
execFileSync(process.execPath, [cli, 'bootstrap'], { stdio: ['ignore', 'ignore', 'inherit'] });
process.argv.splice(1, Infinity, cli, 'start');
// It would report itself to a process manager.
const report = process.send?.bind(process);
process.send = undefined;
await import(pathToFileURL(cli).href);
for (const end = Date.now() + STARTED_WITHIN_MS; ; await sleep(250)) {
  const isUp = await fetch(`${url}/server/ping`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (isUp) break;
  if (Date.now() > end) throw new Error('Directus does not answer');
}
process.send = report;
serve(
  url,
  () => Promise.resolve(),
  () => TOKEN,
);

/** A port that is free now. */
function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as { port: number };
      probe.close(() => resolve(free));
    });
  });
}
