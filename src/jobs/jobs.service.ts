import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import type { FinishedJob, Job, NewJob, SerialJob } from './job.js';
import { JobCompletionService } from './job-completion.service.js';
import { type JobContext, type JobHandler, JobHandlerRegistry } from './job-handler.registry.js';
import { JobWaiter, type WaitOptions } from './job-waiter.js';
import { JobWorker } from './job-worker.js';
import { JobsStore } from './jobs.store.js';
import { PeriodicJobsService } from './periodic-jobs.service.js';

/**
 * Work that outlives the request, kept in the database: every replica takes jobs from it, and when one dies another
 * takes over what it held.
 */
@Injectable()
export class JobsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly store: JobsStore,
    private readonly handlers: JobHandlerRegistry,
    private readonly periodic: PeriodicJobsService,
    private readonly completion: JobCompletionService,
    private readonly waiter: JobWaiter,
    private readonly worker: JobWorker,
  ) {}

  onApplicationBootstrap(): void {
    this.waiter.start();
    this.worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const waited = this.waiter.stop();
    this.logger.log(
      `${waited} requests waiting for jobs were answered; ${this.worker.runningCount} jobs are still running`,
    );
    const left = await this.worker.stop();
    this.logger.log(`the jobs have ended; ${left} remain for other processes`);
  }

  /** Asks for work, in the caller's unit of work: it begins once that has committed. The job's id is the operation's. */
  enqueue<P extends object>(actor: Actor, job: NewJob<P>): Promise<Job<P>> {
    return this.store.insert(actor, job) as Promise<Job<P>>;
  }

  /**
   * Asks for the work of a job once more, where its listener hears that it ended with something left to do. The new job comes
   * before all others that wait for the same serial key.
   */
  enqueueAgain(job: Job): Promise<Job> {
    return this.store.insertAgain(job.id);
  }

  /**
   * Asks for work that one waiting job of its serial key does for all who ask: it is made unless there is one, and begins
   * no later than asked for. Outside of units of work, once what the job reads has committed.
   */
  enqueueOnce(actor: Actor, jobs: SerialJob[]): Promise<void> {
    return this.store.insertUnlessQueued(actor, jobs);
  }

  /** Says how the jobs of a queue are done; a feature calls it once, when it is made. */
  registerHandler<P extends object>(queue: string, handler: JobHandler<P>): void {
    this.handlers.register(queue, handler);
    this.worker.wake();
  }

  /** Does something periodically, once per interval over all replicas; two ticks never run at the same time. */
  schedule(name: string, intervalMs: number, handler: (context: JobContext) => Promise<unknown>): void {
    this.periodic.register(name, intervalMs);
    this.registerHandler(name, { concurrency: 1, handle: (_, context) => handler(context) });
  }

  /**
   * Cancels a job, in the caller's unit of work when one is open: what waits ends at once, what runs has its signal
   * aborted on whichever replica runs it, and ends cancelled unless it comes to an end before.
   * @returns the job as it is now, or null when there is none that has not ended
   */
  cancel(id: string): Promise<Job | null> {
    return this.completion.cancel(id);
  }

  /**
   * Waits for the end of a job, on whichever replica it runs; never inside a unit of work.
   * @returns null when it has not ended in time, or this replica shuts down
   * @throws NotFound; what `signal` was aborted with
   */
  waitUntilFinished(id: string, patience: WaitOptions): Promise<FinishedJob | null> {
    return this.waiter.waitUntilFinished(id, patience);
  }

  /** Whether this replica takes jobs. */
  isAlive(): boolean {
    return this.worker.isAlive();
  }
}
