import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../core/errors/app-error.js';
import { Metrics } from '../core/telemetry/metrics.service.js';
import type { Job } from './job.js';
import { JobCompletionService, toJobProblem } from './job-completion.service.js';
import { LeasesStore } from './leases.store.js';

/** Takes over the jobs of workers that died; any replica may do so. */
@Injectable()
export class OverdueJobsService {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly leases: LeasesStore,
    private readonly completion: JobCompletionService,
    private readonly metrics: Metrics,
  ) {}

  /** Requeues or ends the jobs whose leases have expired. */
  async recover(): Promise<void> {
    for (const job of await this.leases.listOverdue()) {
      if (!(await this.recoverJob(job))) continue;
      this.metrics.jobs.inc({ queue: job.queue, outcome: 'lost' });
      this.logger.warn(
        { job: job.id, queue: job.queue, attempt: job.attempt },
        'the worker of the job stopped without finishing it',
      );
    }
  }

  private recoverJob(job: Job): Promise<boolean> {
    if (job.cancelRequested) return this.completion.completeOverdue(job, { status: 'cancelled' });
    if (job.losses + 1 < job.mostTakes) return this.leases.requeue(job, { lost: true });
    return this.completion.completeOverdue(job, { status: 'failed', error: toJobProblem(job, workerLostError(job)) });
  }
}

function workerLostError({ losses }: Job): AppError {
  const times = losses === 0 ? 'while it worked on this' : `${losses + 1} times, each time while it worked on this`;
  return new AppError(500, 'WORKER_LOST', 'The work was interrupted', `the server stopped ${times}`, {
    remedy: 'Check which changes were made, then repeat the request.',
  });
}
