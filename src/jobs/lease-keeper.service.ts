import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import type { Lease } from './lease.js';
import { JobSettings } from './job-settings.js';
import { WorkerPresence } from './worker-presence.js';

/** What processes hold by leases: each of one kind by one process at a time. */
export interface LeasedWork<T extends { readonly lease: Lease }> {
  /** For the log. */
  readonly name: string;
  /** What this process holds. */
  listHeld(): T[];
  /** Renews the leases with one statement. @returns those that are still held */
  renew(worker: string, held: T[], leaseMs: number): Promise<T[]>;
  /** The lease is over: another process may hold it by now. Called again as long as it is listed. */
  lose(each: T): void;
  /** The processes that hold something of it. */
  listWorkers(): Promise<string[]>;
  /** Takes back what is held by processes that are dead, and what was not renewed in time. */
  takeBack(worker: string, dead: string[]): Promise<void>;
}

/** The watch over leases of one kind, until it is stopped. */
export interface LeaseWatch {
  /** Renews now, such as after the connection was lost. */
  renew(): void;
  stop(): void;
}

/** Renews the leases of this process, and takes over from processes that died. */
@Injectable()
export class LeaseKeeper {
  private readonly logger = new Logger('Leases');

  constructor(
    private readonly presence: WorkerPresence,
    private readonly settings: JobSettings,
  ) {}

  watch<T extends { readonly lease: Lease }>(work: LeasedWork<T>): LeaseWatch {
    const renew = this.runExclusively(`renewing the leases on ${work.name}`, () => this.renew(work));
    const takeOver = this.runExclusively(`taking over ${work.name}`, () => this.takeOver(work));
    const stops = [
      repeat(
        () => {
          for (const each of work.listHeld()) if (!each.lease.isHeld) work.lose(each);
          renew();
        },
        () => this.settings.heartbeatMs,
      ),
      repeat(takeOver, () => this.settings.presenceMs),
    ];
    return { renew, stop: () => stops.forEach((stop) => stop()) };
  }

  private async renew<T extends { readonly lease: Lease }>(work: LeasedWork<T>): Promise<void> {
    const held = work.listHeld();
    if (held.length === 0) return;
    const askedAt = performance.now();
    const renewed = new Set(await work.renew(this.presence.id, held, this.settings.leaseMs));
    for (const each of held)
      if (renewed.has(each)) each.lease.renew(askedAt, this.settings.leaseMs);
      else work.lose(each);
  }

  private async takeOver<T extends { readonly lease: Lease }>(work: LeasedWork<T>): Promise<void> {
    const workers = await work.listWorkers();
    if (workers.length > 0) await work.takeBack(this.presence.id, await this.presence.findDead(workers));
  }

  /** A statement that hangs must neither hold up the watch over the leases nor be sent again and again. */
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

/** At once, and again after each interval. @returns what stops it */
function repeat(work: () => void, everyMs: () => number): () => void {
  let timer: NodeJS.Timeout;
  const next = (): void => {
    timer = setTimeout(next, everyMs()).unref();
    work();
  };
  next();
  return () => clearTimeout(timer);
}
