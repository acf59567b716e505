import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import type { FinishedJob, Job, NewJob, SerialJob } from './job.js';
import { JobCompletionService } from './job-completion.service.js';
import { type JobContext, type JobHandler, JobHandlerRegistry } from './job-handler.registry.js';
import { JobWaiter, type WaitOptions } from './job-waiter.js';
import { JobWorker } from './job-worker.js';
import { JobsStore } from './jobs.store.js';
import { PeriodicJobsService } from './periodic-jobs.service.js';

/** The job queue in the database: every replica claims jobs from it, and when one dies another takes over its jobs. */
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

  /** Enqueues a job in the caller's unit of work; it starts after the commit. The id of the job is that of the operation. */
  enqueue<P extends object>(actor: Actor, job: NewJob<P>): Promise<Job<P>> {
    return this.store.insert(actor, job) as Promise<Job<P>>;
  }

  /**
   * Enqueues a copy of a job, for use in its `onEnded` when work remains. The new job precedes all others that
   * wait for the same serial key.
   */
  enqueueAgain(job: Job): Promise<Job> {
    return this.store.insertAgain(job.id);
  }

  /**
   * Enqueues jobs unless one with the same serial key is waiting, which then starts no later than requested. Call
   * it outside of units of work, after the data that the job reads was committed.
   */
  enqueueOnce(actor: Actor, jobs: SerialJob[]): Promise<void> {
    return this.store.insertUnlessQueued(actor, jobs);
  }

  /** Registers the handler of a queue; each feature calls it once, at start. */
  registerHandler<P extends object>(queue: string, handler: JobHandler<P>): void {
    this.handlers.register(queue, handler);
    this.worker.wake();
  }

  /** Runs a handler periodically, once per interval across all replicas; runs never overlap. */
  schedule(name: string, intervalMs: number, handler: (context: JobContext) => Promise<object | void>): void {
    this.periodic.register(name, intervalMs);
    this.registerHandler(name, { concurrency: 1, handle: (_, context) => handler(context) });
  }

  /**
   * Cancels a job, in the caller's unit of work when one is open. A queued job ends immediately; the signal of a
   * running one is aborted, and it ends as cancelled unless it finishes before.
   * @returns the job, or null when it had ended or does not exist
   */
  cancel(id: string): Promise<Job | null> {
    return this.completion.cancel(id);
  }

  /**
   * Waits for the end of a job on any replica; not for use inside a unit of work.
   * @returns null on a timeout, or when this replica shuts down
   * @throws NotFound
   * @throws the reason of `signal`
   */
  waitUntilFinished(id: string, options: WaitOptions): Promise<FinishedJob | null> {
    return this.waiter.waitUntilFinished(id, options);
  }

  /** Whether this replica claims jobs. */
  isAlive(): boolean {
    return this.worker.isAlive();
  }
}
