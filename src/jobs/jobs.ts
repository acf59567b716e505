import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import type { FinishedJob, Job, NewJob } from './job.js';
import { JobEndings } from './job-endings.js';
import { type JobContext, type JobHandler, JobHandlers } from './job-handlers.js';
import { JobWaits, type Patience } from './job-waits.js';
import { JobWorker } from './job-worker.js';
import { JobsStore } from './jobs.store.js';
import { PeriodicJobs } from './periodic-jobs.js';

/**
 * Work that outlives the request, kept in the database: every replica takes jobs from it, and when one dies another
 * takes over what it held.
 */
@Injectable()
export class Jobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly store: JobsStore,
    private readonly handlers: JobHandlers,
    private readonly periodic: PeriodicJobs,
    private readonly endings: JobEndings,
    private readonly waits: JobWaits,
    private readonly worker: JobWorker,
  ) {}

  onApplicationBootstrap(): void {
    this.waits.start();
    this.worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const waited = this.waits.stop();
    this.logger.log(`${waited} requests that waited for jobs are answered; ${this.worker.count} jobs go on`);
    const left = await this.worker.stop();
    this.logger.log(`the jobs have ended; ${left} are left to other processes`);
  }

  /** Asks for work, in the caller's unit of work: it begins once that has committed. The job's id is the operation's. */
  enqueue<P extends object>(actor: Actor, job: NewJob<P>): Promise<Job<P>> {
    return this.store.insert(actor, job) as Promise<Job<P>>;
  }

  /**
   * Asks for the work of a job once more, where its listener hears that it ended with something left to do. The new job comes
   * before all others that wait for the same serial key.
   */
  repeat(job: Job): Promise<Job> {
    return this.store.insertAgain(job.id);
  }

  /** Says how the jobs of a queue are done; a feature calls it once, when it is made. */
  handle<P extends object>(queue: string, handler: JobHandler<P>): void {
    this.handlers.add(queue, handler);
    this.worker.wake();
  }

  /** Does something periodically, once per interval over all replicas; two ticks never run at the same time. */
  every(name: string, intervalMs: number, handler: (context: JobContext) => Promise<unknown>): void {
    this.periodic.add(name, intervalMs);
    this.handle(name, { concurrency: 1, handler: (_, context) => handler(context) });
  }

  /**
   * Cancels a job, in the caller's unit of work when one is open: what waits ends at once, what runs has its signal
   * aborted on whichever replica runs it, and ends cancelled unless it comes to an end before.
   * @returns the job as it is now, or null when there is none that has not ended
   */
  cancel(id: string): Promise<Job | null> {
    return this.endings.cancel(id);
  }

  /**
   * Waits for the end of a job, on whichever replica it runs; never inside a unit of work.
   * @returns null when it has not ended in time, or this replica shuts down
   * @throws NotFound; what `signal` was aborted with
   */
  finished(id: string, patience: Patience): Promise<FinishedJob | null> {
    return this.waits.finished(id, patience);
  }

  /** Whether this replica takes jobs. */
  isAlive(): boolean {
    return this.worker.isAlive();
  }
}
