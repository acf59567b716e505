import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { isDatabaseOutage } from '../errors/database-outage.js';
import type { Lease } from './lease.js';
import { WorkerPresence } from './worker-presence.js';

/** The interval of checks whether other workers are alive. */
const PRESENCE_MS = 1_000;

/** A row that this process holds. */
export interface Leased {
  readonly lease: Lease;
}

/** The rows of a table that one process at a time works on. The table claims and releases them by statements of its own. */
export interface LeasedRows<T extends Leased> {
  table: string;
  /** The columns that identify a held row, with their types. Without a column `worker`, the key tells who holds it. */
  key: Record<string, 'uuid' | 'text' | 'int'>;
  hasWorker: boolean;
  /** SQL of whether a row is held; an index covers it. */
  heldSql?: string;
  /** A further column that a renewal reads. */
  returning?: string;
  /** The milliseconds of a lease, and between two renewals. */
  times: Readonly<Record<'leaseMs' | 'heartbeatMs', number>>;
  listHeld: () => T[];
  /** The values of the key, in its order. */
  keyOf: (each: T) => unknown[];
  /** @param value of the column `returning` */
  onRenewed?: (each: T, value: unknown) => void;
  /** Called when a lease has expired and another process may hold the row; repeated while the row is listed. */
  lose?: (each: T) => void;
  /** Takes over rows with expired leases; those of processes that died expire at once. */
  takeOver?: () => Promise<unknown>;
}

/** The renewal of leases of one table, until it is stopped. */
export interface LeaseWatch {
  /** Renews immediately, for instance after a reconnect. */
  renew(): void;
  stop(): void;
}

/** Renews the leases of this process, and expires those of processes that died. Queries run as the system. */
@Injectable()
export class LeaseKeeper {
  private readonly logger = new Logger('Leases');

  constructor(
    private readonly presence: WorkerPresence,
    private readonly unit: UnitOfWork,
  ) {}

  /** Call it when the application starts. */
  watch<T extends Leased>(rows: LeasedRows<T>): LeaseWatch {
    const renew = this.runExclusively(`renewing the leases on ${rows.table}`, () => this.renew(rows));
    const takeOver = this.runExclusively(`taking over ${rows.table}`, () => this.takeOver(rows));
    const heartbeat = (): void => {
      for (const each of rows.listHeld()) if (!each.lease.isHeld) rows.lose?.(each);
      renew();
    };
    const stops = [repeat(heartbeat, () => rows.times.heartbeatMs)];
    if (rows.hasWorker) stops.push(repeat(takeOver, () => PRESENCE_MS));
    return { renew, stop: () => stops.forEach((stop) => stop()) };
  }

  private async renew<T extends Leased>(rows: LeasedRows<T>): Promise<void> {
    const held = rows.listHeld();
    if (held.length === 0) return;
    const askedAt = performance.now();
    const keys = held.map((each) => rows.keyOf(each));
    const renewed = await this.unit.manager.query<{ position: number; value: unknown }[]>(toRenewSql(rows), [
      rows.times.leaseMs,
      ...Object.keys(rows.key).map((_, column) => keys.map((key) => key[column])),
      ...(rows.hasWorker ? [this.presence.id] : []),
    ]);
    const values = new Map(renewed.map(({ position, value }) => [position, value]));
    for (const [index, each] of held.entries())
      if (values.has(index + 1)) {
        each.lease.renew(askedAt, rows.times.leaseMs);
        rows.onRenewed?.(each, values.get(index + 1));
      } else rows.lose?.(each);
  }

  private async takeOver<T extends Leased>(rows: LeasedRows<T>): Promise<void> {
    const { table, key, heldSql = 'worker IS NOT NULL' } = rows;
    const workers = await this.unit.manager.query<{ worker: string }[]>(
      `SELECT DISTINCT worker FROM ${table} WHERE ${heldSql}`,
    );
    if (workers.length === 0) return;
    const dead = await this.presence.findDead(workers.map(({ worker }) => worker));
    const columns = Object.keys(key).join(', ');
    // What is locked is released or taken over, or expires with the next check.
    if (dead.length > 0)
      await this.unit.manager.query(
        `WITH expired AS (
           SELECT ${columns} FROM ${table} WHERE ${heldSql} AND worker = ANY ($1) AND lease_until >= now()
            ORDER BY ${columns} FOR NO KEY UPDATE SKIP LOCKED)
         UPDATE ${table} SET lease_until = now() - interval '1 millisecond'
          WHERE (${columns}) IN (SELECT ${columns} FROM expired)`,
        [dead],
      );
    await rows.takeOver?.();
  }

  /** A hanging statement must not delay the other checks, and must not be sent repeatedly. */
  private runExclusively(what: string, work: () => Promise<void>): () => void {
    let isRunning = false;
    return () => {
      if (isRunning) return;
      isRunning = true;
      void work()
        .catch((error: unknown) => {
          if (!isDatabaseOutage(error)) this.logger.warn(error, `${what} failed, trying again`);
        })
        .finally(() => (isRunning = false));
    };
  }
}

/** Locks the rows in the order of their keys, as every statement on several of them does. */
function toRenewSql<T extends Leased>(rows: LeasedRows<T>): string {
  const { table, key, hasWorker, heldSql, returning = 'NULL' } = rows;
  const columns = Object.keys(key);
  const arrays = Object.values(key).map((type, index) => `$${index + 2}::${type}[]`);
  const conditions = [
    ...columns.map((column) => `leased.${column} = held.${column}`),
    ...(hasWorker ? [`leased.worker = $${columns.length + 2}`] : []),
    ...(heldSql ? [heldSql] : []),
  ];
  return `WITH held AS (SELECT * FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS h (${columns.join(', ')}, position)),
    locked AS (
      SELECT held.* FROM ${table} leased JOIN held ON ${conditions.join(' AND ')}
       ORDER BY ${columns.map((column) => `leased.${column}`).join(', ')} FOR NO KEY UPDATE OF leased),
    renewed AS (
      UPDATE ${table} leased SET lease_until = now() + $1 * interval '1 millisecond' FROM locked
       WHERE ${columns.map((column) => `leased.${column} = locked.${column}`).join(' AND ')}
      RETURNING locked.position::int AS position, ${returning} AS value)
    SELECT * FROM renewed`;
}

/** Runs work immediately and after each interval. @returns a function that stops it */
function repeat(work: () => void, everyMs: () => number): () => void {
  let timer: NodeJS.Timeout;
  const next = (): void => {
    timer = setTimeout(next, everyMs()).unref();
    work();
  };
  next();
  return () => clearTimeout(timer);
}
