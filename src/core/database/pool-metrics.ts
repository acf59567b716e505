import { Gauge, type Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { getPool } from '../patches/pg/pool-connect.js';
import type { ConnectionShares } from './connection-shares.js';

/** Registers metrics of the connection pool: connections in use and idle, and waiting requests, read on each scrape. */
export function registerPoolMetrics(registry: Registry, dataSource: DataSource, shares: ConnectionShares): void {
  const master = getPool(dataSource);
  const gauge: Gauge = new Gauge({
    name: 'armature_database_connections',
    help: 'Database connections that are busy or idle, and requests that are waiting for one, by state.',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      gauge.set({ state: 'busy' }, master.totalCount - master.idleCount);
      gauge.set({ state: 'idle' }, master.idleCount);
      gauge.set({ state: 'waiting' }, shares.waitingCount);
    },
  });
}
