import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { Gauge } from 'prom-client';
import { programBeside } from '../program-beside.js';
import type { Metrics } from '../telemetry/metrics.service.js';
import {
  HEARTBEAT_MS,
  HEARTBEATS,
  IS_READY,
  BLOCK_COUNT,
  DEADLINE_MS,
  LONGEST_BLOCK_MS,
  SLOT_COUNT,
  STOPPED_WITH,
  type WatchdogOptions,
} from './watchdog-memory.js';

/**
 * Monitors the event loop from a separate thread: reports blocks, and kills the process when the loop stays blocked
 * or a shutdown takes too long. A timer of the loop itself could do neither.
 */
export class Watchdog {
  private readonly memory = new SharedArrayBuffer(SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT);
  private readonly slots = new Int32Array(this.memory);
  private readonly worker: Worker;

  constructor(json: boolean) {
    const workerData: WatchdogOptions = { memory: this.memory, json, endsBlocked: inspector.url() === undefined };
    const { url, execArgv } = programBeside(import.meta.url, 'watchdog-thread');
    this.worker = new Worker(url, {
      workerData,
      execArgv,
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    });
    this.worker.unref();
    setInterval(() => Atomics.add(this.slots, HEARTBEATS, 1), HEARTBEAT_MS).unref();
  }

  /** Reports blocks from now on. */
  reportBlocks(): void {
    Atomics.add(this.slots, HEARTBEATS, 1);
    Atomics.store(this.slots, IS_READY, 1);
  }

  /** Kills the process after this time. */
  killAfter(ms: number): void {
    Atomics.store(this.slots, DEADLINE_MS, ms);
  }

  /** Asks another process to stop when this one is killed. */
  stopAlso(pid: number): void {
    Atomics.store(this.slots, STOPPED_WITH, pid);
  }

  registerMetrics({ registry }: Metrics): void {
    const gauge = (name: string, help: string, value: () => number): void => {
      const made: Gauge = new Gauge({ name, help, registers: [registry], collect: () => made.set(value()) });
    };
    gauge('armature_event_loop_blocks', 'Number of times that the event loop was blocked for more than a second.', () =>
      Atomics.load(this.slots, BLOCK_COUNT),
    );
    gauge(
      'armature_event_loop_longest_block_seconds',
      'Longest block of the event loop in seconds, if longer than a second.',
      () => Atomics.load(this.slots, LONGEST_BLOCK_MS) / 1000,
    );
  }
}
