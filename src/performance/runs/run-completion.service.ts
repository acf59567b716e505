import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { FinishedJob } from '../../jobs/job.js';
import { WorkspacePlacementService } from '../../workspaces/workspace-owned/workspace-placement.service.js';
import { ProfilesStore } from '../profiles/profiles.store.js';
import type { PerformanceRun } from './run.entity.js';
import {
  PerformanceBudgetExceeded,
  PerformanceRunCancelled,
  type PerformanceRunEvent,
  PerformanceRunFailed,
  PerformanceRunStarted,
  PerformanceRunSucceeded,
} from './run.events.js';
import type { RunPayload } from './run-job.js';
import { RunsStore } from './runs.store.js';

const SYSTEM = Actor.system('performance runs');
/** The maximum number of stored runs of a profile. */
const MAX_KEPT = 500;

/** Stores the start and the end of runs. */
@Injectable()
export class RunCompletionService {
  constructor(
    private readonly runs: RunsStore,
    private readonly profiles: ProfilesStore,
    private readonly placement: WorkspacePlacementService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** @returns null when it has already ended; @throws Conflict WORKSPACE_ARCHIVED */
  async start(id: string, fields: Pick<PerformanceRun, 'generator' | 'testStartTime'>): Promise<PerformanceRun | null> {
    return this.unit.run(async () => {
      const found = await this.runs.find(SYSTEM, id);
      if (found) await this.placement.admit(SYSTEM, found.workspaceId);
      const run = await this.runs.lock(SYSTEM, id);
      if (!run || run.hasEnded) return null;
      const restarts = run.testStartTime === null ? 0 : run.restarts + 1;
      const anew = { progress: null, measurement: null, summary: null };
      await this.runs.update(run, { ...fields, ...anew, restarts, status: 'running' });
      await this.events.publish(new PerformanceRunStarted(actorOf(run), run));
      await this.profiles.notify(run);
      return run;
    });
  }

  /** Stores the measurement of a run if the job still holds it. */
  async succeed(id: string, fields: Partial<PerformanceRun>, assertLeased: () => Promise<void>): Promise<void> {
    await this.unit.run(async () => {
      const run = await this.runs.lock(SYSTEM, id);
      if (!run || run.hasEnded) return;
      await this.runs.update(run, { ...fields, status: 'succeeded', finishedAt: new Date() });
      await this.conclude(run, new PerformanceRunSucceeded(actorOf(run), run));
      if (run.budget && !run.budget.passed) await this.events.publish(new PerformanceBudgetExceeded(actorOf(run), run));
      await assertLeased();
    });
  }

  /** Handles the end of the job, in its transaction: a run without an own result gets the status of its job. */
  async handleJobEnd(job: FinishedJob<RunPayload>): Promise<void> {
    const run = await this.runs.lock(SYSTEM, job.id, true);
    if (!run || run.hasEnded) return;
    const status = job.status === 'cancelled' ? 'cancelled' : 'failed';
    const isLost = job.error?.code === 'WORKER_LOST';
    const error =
      job.error && isLost ? { ...job.error, remedy: 'Run the test again; nothing has to be undone.' } : job.error;
    await this.runs.update(run, { status, error, finishedAt: job.finishedAt });
    const Ended = status === 'cancelled' ? PerformanceRunCancelled : PerformanceRunFailed;
    await this.conclude(run, new Ended(job.cancelledBy ? actingFor(job.cancelledBy) : actorOf(run), run));
  }

  private async conclude(run: PerformanceRun, event: PerformanceRunEvent): Promise<void> {
    await this.events.publish(event);
    const forgotten = await this.runs.purge(run.profileId, MAX_KEPT);
    await this.profiles.addRun(run.profileId, (run.status === 'succeeded' ? 1 : 0) - forgotten);
    await this.profiles.notify(run);
  }
}

const actingFor = (userId: string): Actor => Actor.onBehalfOf(userId, 'performance runs');

const actorOf = ({ userId }: PerformanceRun): Actor => actingFor(userId);
