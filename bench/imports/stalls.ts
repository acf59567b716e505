import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LongestTurn } from '../support/loop-watch.js';
import type { BenchServer } from '../support/server.js';

/** What others notice of a piece of work, in milliseconds. */
export interface Stall {
  took: number;
  /** The longest turn of the event loop of the server: processor time, and by the clock. */
  cpu: number;
  loop: number;
  /** The longest time in which `/healthz/live` was answered. */
  live: number;
}

/** Watches a server from inside and from outside while it works. */
export class Stalls {
  private readonly prober: Worker;

  constructor(private readonly server: BenchServer) {
    this.prober = new Worker(new URL('./prober.js', import.meta.url), { workerData: server.url });
  }

  async of(work: () => Promise<unknown>): Promise<Stall> {
    await Promise.all([this.server.ask('stall'), this.longest()]);
    const began = performance.now();
    await work();
    const took = performance.now() - began;
    const [turn, live] = await Promise.all([this.server.ask('stall') as Promise<LongestTurn>, this.longest()]);
    return { took, cpu: turn.cpu, loop: turn.wall, live };
  }

  async stop(): Promise<void> {
    await this.prober.terminate();
  }

  private async longest(): Promise<number> {
    const answer = once(this.prober, 'message');
    this.prober.postMessage('reset');
    return ((await answer) as [number])[0];
  }
}
