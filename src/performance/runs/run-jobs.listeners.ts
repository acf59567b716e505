import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service.js';
import { LoadLimits } from '../load/load-limits.js';
import { performancePolicy } from '../profiles/performance.policy.js';
import { RunCompletionService } from './run-completion.service.js';
import { RunRunner } from './run.runner.js';
import { type RunPayload, RUNS_QUEUE } from './run-job.js';
import { ScheduledRunsService } from './scheduled-runs.service.js';
import { RunsService } from './runs.service.js';

/** Schedules have a resolution of one minute. */
const SCHEDULE_MS = 15_000;

/** Registers the jobs of runs, and the check for due schedules. */
@Injectable()
export class RunJobsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly runner: RunRunner,
    private readonly completion: RunCompletionService,
    private readonly runs: RunsService,
    private readonly limits: LoadLimits,
    private readonly scheduled: ScheduledRunsService,
  ) {}

  onModuleInit(): void {
    this.jobs.registerHandler<RunPayload>(RUNS_QUEUE, {
      concurrency: this.limits.maxRuns,
      handle: (job, context) => this.runner.run(job, context),
      authorize: (actor, { id }, wanted) => this.runs.authorize(actor, performancePolicy[wanted], id),
      onEnded: (job) => this.completion.handleJobEnd(job),
    });
    this.jobs.schedule('performance.schedules', SCHEDULE_MS, async () => ({
      started: await this.scheduled.startDue(),
    }));
  }
}
