import { Watchdog } from '../src/core/lifecycle/watchdog.js';

// A process whose event loop is blocked for some milliseconds, after it was asked to end within some others.
const [blockMs = '0', endMs = '0'] = process.argv.slice(2);
const watchdog = new Watchdog(true);
setTimeout(() => {
  if (endMs !== '0') watchdog.killAfter(Number(endMs));
  process.stdout.write('blocking\n');
  for (const end = Date.now() + Number(blockMs); Date.now() < end;);
  setTimeout(() => process.exit(0), 2_000);
}, 5_000);
