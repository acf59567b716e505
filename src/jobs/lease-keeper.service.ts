import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import type { Lease } from './lease.js';
import { JobSettings } from './job-settings.js';
import { WorkerPresence } from './worker-presence.js';

/** Leased work of one kind; each item is held by one process at a time. */
export interface LeasedWork<T extends { readonly lease: Lease }> {
  /** The name in logs. */
  readonly name: string;
  /** The items that this process holds. */
  listHeld(): T[];
  /** Renews the leases in one statement. @returns the items that are still held */
  renew(worker: string, held: T[], leaseMs: number): Promise<T[]>;
  /** Called when a lease has expired and another process may hold the item; repeated while the item is listed. */
  lose(each: T): void;
  /** The processes that hold items. */
  listWorkers(): Promise<string[]>;
  /** Takes over items of dead processes, and those with expired leases. */
  takeBack(worker: string, dead: string[]): Promise<void>;
}

/** The renewal of leases of one kind, until it is stopped. */
export interface LeaseWatch {
  /** Renews immediately, for instance after a reconnect. */
  renew(): void;
  stop(): void;
}

/** Renews the leases of this process, and takes over those of processes that died. */
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
