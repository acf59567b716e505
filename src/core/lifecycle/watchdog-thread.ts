import { workerData } from 'node:worker_threads';
import { ProcessLog } from './process-log.js';
import { BEAT_MS, BEATS, BLOCKS, DEADLINE_MS, LONGEST_BLOCK_MS, type WatchdogOptions } from './watchdog-memory.js';

const WARN_MS = 1_000;
/** Nothing that the server does takes so long: a loop that is blocked for longer will not come back. */
const LONGEST_BLOCK = 60_000;

const { memory, json, endsBlocked } = workerData as WatchdogOptions;
const places = new Int32Array(memory);
const log = new ProcessLog(json);

let beats = Atomics.load(places, BEATS);
let blockedMs = 0;
let isTold = false;
let tickedAt = performance.now();

/** Time in which this thread itself did not run, as in a process that was stopped or a machine that slept, does not count. */
function tick(): void {
  const now = performance.now();
  const passed = Math.min(now - tickedAt, 2 * BEAT_MS);
  tickedAt = now;
  watchLoop(passed);
  watchShutdown(passed);
}

function watchLoop(passed: number): void {
  const seen = Atomics.load(places, BEATS);
  if (seen !== beats) {
    if (isTold) log.warn(`the event loop was blocked for ${seconds(blockedMs)}`, { ms: Math.round(blockedMs) });
    beats = seen;
    blockedMs = 0;
    isTold = false;
    return;
  }
  blockedMs += passed;
  if (blockedMs < WARN_MS) return;
  if (!isTold) {
    isTold = true;
    Atomics.add(places, BLOCKS, 1);
    log.warn(`the event loop has been blocked for ${seconds(blockedMs)}: nothing is answered`);
  }
  if (blockedMs > Atomics.load(places, LONGEST_BLOCK_MS)) Atomics.store(places, LONGEST_BLOCK_MS, blockedMs);
  if (endsBlocked && blockedMs > LONGEST_BLOCK)
    end(`the event loop has been blocked for ${seconds(blockedMs)}: the process is ended`);
}

function watchShutdown(passed: number): void {
  const left = Atomics.load(places, DEADLINE_MS);
  if (left === 0) return;
  if (left <= passed) end('the shutdown took too long: the process is ended');
  Atomics.sub(places, DEADLINE_MS, passed);
}

/** A thread cannot exit its process; the signal that nothing can handle ends it with the status 137. */
function end(why: string): never {
  log.fatal(why);
  process.kill(process.pid, 'SIGKILL');
  throw new Error(why);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

setInterval(tick, BEAT_MS);
