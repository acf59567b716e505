import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessLog } from '../src/core/telemetry/process-log.js';
import { Watchdog } from '../src/core/lifecycle/watchdog.js';
import { Shutdown } from '../src/core/lifecycle/shutdown.js';

// A process that ends as the server does, and takes some milliseconds for it, of at most some others.
const [ms = '500', limitMs = '25000'] = process.argv.slice(2);
const log = new ProcessLog(false);
const shutdown = new Shutdown(log, new Watchdog(log.isJson));
shutdown.listen();
shutdown.addStep(() => Promise.resolve(log.info('the last step')));
shutdown.addStep(() => sleep(Number(ms)), Number(limitMs));
setInterval(() => undefined, 60_000);
log.info(`process ${process.pid}`);
