import { Gauge, type Registry } from 'prom-client';
import type { WorkerPool } from './worker-pool.js';

/** Registers metrics of running and waiting tasks per lane, read on each scrape. */
export function registerPoolMetrics(registry: Registry, pool: WorkerPool): void {
  const gauge: Gauge = new Gauge({
    name: 'armature_worker_tasks',
    help: 'Tasks of the worker pool, by lane and state (running, waiting).',
    labelNames: ['lane', 'state'],
    registers: [registry],
    collect: () => {
      for (const { lane, running, waiting } of pool.listLoads()) {
        gauge.set({ lane, state: 'running' }, running);
        gauge.set({ lane, state: 'waiting' }, waiting);
      }
    },
  });
}
