import { workerData } from 'node:worker_threads';
import { ProcessLog } from '../telemetry/process-log.js';
import {
  HEARTBEAT_MS,
  HEARTBEATS,
  IS_READY,
  BLOCK_COUNT,
  DEADLINE_MS,
  LONGEST_BLOCK_MS,
  STOPPED_WITH,
  type WatchdogOptions,
} from './watchdog-memory.js';

const WARN_MS = 1_000;
/** The server does nothing that takes this long, so a loop blocked for longer will not recover. */
const MAX_BLOCK_MS = 60_000;

const { memory, json, endsBlocked } = workerData as WatchdogOptions;
const slots = new Int32Array(memory);
const log = new ProcessLog(json);

let lastHeartbeats = Atomics.load(slots, HEARTBEATS);
let blockedMs = 0;
let isReported = false;
let lastTickAt = performance.now();

function tick(): void {
  const now = performance.now();
  const passed = now - lastTickAt;
  lastTickAt = now;
  // The loop is not to blame for time in which this thread did not run either, as in a stopped process.
  watchLoop(Math.min(passed, 2 * HEARTBEAT_MS));
  watchShutdown(passed);
}

function watchLoop(passed: number): void {
  const seen = Atomics.load(slots, HEARTBEATS);
  if (seen !== lastHeartbeats) {
    if (isReported) log.warn(`the event loop was blocked for ${seconds(blockedMs)}`, { ms: Math.round(blockedMs) });
    lastHeartbeats = seen;
    blockedMs = 0;
    isReported = false;
    return;
  }
  blockedMs += passed;
  if (blockedMs < WARN_MS) return;
  const isReady = Atomics.load(slots, IS_READY) === 1;
  if (isReady && !isReported) {
    isReported = true;
    Atomics.add(slots, BLOCK_COUNT, 1);
    log.warn(`the event loop has been blocked for ${seconds(blockedMs)}; no request is being answered`);
  }
  if (isReady && blockedMs > Atomics.load(slots, LONGEST_BLOCK_MS)) Atomics.store(slots, LONGEST_BLOCK_MS, blockedMs);
  if (endsBlocked && blockedMs > MAX_BLOCK_MS)
    killProcess(`the event loop has been blocked for ${seconds(blockedMs)}; the process will be killed`);
}

function watchShutdown(passed: number): void {
  const left = Atomics.load(slots, DEADLINE_MS);
  if (left === 0) return;
  if (left <= passed) killProcess('the shutdown took too long; the process will be killed');
  Atomics.sub(slots, DEADLINE_MS, passed);
}

/** A thread cannot exit its process; SIGKILL ends it with status 137. */
function killProcess(why: string): never {
  log.fatal(why);
  stopOtherProcess();
  process.kill(process.pid, 'SIGKILL');
  throw new Error(why);
}

/** Its own data are safe: SIGINT is the fast shutdown of PostgreSQL. */
function stopOtherProcess(): void {
  const pid = Atomics.load(slots, STOPPED_WITH);
  try {
    if (pid > 0) process.kill(pid, 'SIGINT');
  } catch {
    // It has ended.
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

setInterval(tick, HEARTBEAT_MS);
