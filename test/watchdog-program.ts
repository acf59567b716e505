import { spawn } from 'node:child_process';
import { Watchdog } from '../src/core/lifecycle/watchdog.js';

// A process whose event loop is blocked for some milliseconds, after it was asked to end, with its child, within some others.
const [blockMs = '0', endMs = '0'] = process.argv.slice(2);
const watchdog = new Watchdog(true);
const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
process.stdout.write(`child ${child.pid}\n`);
watchdog.stopAlso(child.pid ?? 0);
// What blocks the loop of a start is not reported.
if (endMs === '0') for (const end = Date.now() + 1_500; Date.now() < end;);
watchdog.reportBlocks();
setTimeout(() => {
  if (endMs !== '0') watchdog.killAfter(Number(endMs));
  process.stdout.write('blocking\n');
  for (const end = Date.now() + Number(blockMs); Date.now() < end;);
  setTimeout(() => {
    child.kill();
    process.exit(0);
  }, 2_000);
}, 5_000);
