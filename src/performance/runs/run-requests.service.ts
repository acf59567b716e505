import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError, InvalidRequest } from '../../core/errors/app-error.js';
import { limitRemedy, type LimitSetting } from '../../core/errors/limit-remedy.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { WorkspacePlacementService } from '../../workspaces/workspace-owned/workspace-placement.service.js';
import type { PerformanceProfile } from '../profiles/profile.entity.js';
import type { RunRequest } from '../profiles/profile.inputs.js';
import { ProfilesService } from '../profiles/profiles.service.js';
import { PerformanceRun, type RunTrigger } from './run.entity.js';
import { RUNS_QUEUE, type RunPayload } from './run-job.js';
import { RunPlansService } from './run-plans.service.js';
import { RunsStore } from './runs.store.js';

const RETRY_AFTER_SECONDS = 10;

/** Enqueues runs, on request and by schedule. */
@Injectable()
export class RunRequestsService {
  constructor(
    private readonly runs: RunsStore,
    private readonly profiles: ProfilesService,
    private readonly plans: RunPlansService,
    private readonly placement: WorkspacePlacementService,
    private readonly jobs: JobsService,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws InvalidRequest OUTBOUND_REFUSED; Conflict; AppError 429 TOO_MANY_RUNS */
  async request(actor: Actor, profileId: string, { name, endpoint }: RunRequest): Promise<PerformanceRun> {
    const profile = await this.profiles.getAuthorized(actor, profileId, 'run');
    if (endpoint !== undefined && !profile.endpoints.includes(endpoint))
      throw InvalidRequest.forField('/endpoint', 'must be one of the endpoints of the profile');
    await this.plans.assertRunnable(profile, endpoint);
    return this.unit.run(async () => {
      await this.placement.admit(actor, profile.workspaceId);
      const current = await this.profiles.getAuthorized(actor, profileId, 'run');
      const exceeded = await this.findExceededLimit(current);
      if (exceeded) throw tooManyRuns(exceeded);
      return this.insert(actor, current, { name, endpoint, trigger: 'manual' });
    });
  }

  /** A run that the schedule of a profile asks for; what refuses it by then is checked when it begins, and recorded in the run. */
  async requestScheduled(actor: Actor, profile: PerformanceProfile): Promise<PerformanceRun> {
    return this.insert(actor, profile, { trigger: 'schedule' });
  }

  private async insert(
    actor: Actor,
    profile: PerformanceProfile,
    { name, endpoint, trigger }: RunRequest & { trigger: RunTrigger },
  ): Promise<PerformanceRun> {
    const { id: profileId, organizationId, workspaceId, serviceMesh } = profile;
    const run = Object.assign(new PerformanceRun(), {
      ...{ id: newId(), organizationId, workspaceId, profileId, userId: actor.userId, trigger, status: 'queued' },
      ...{ name: name ?? profile.name, mesh: serviceMesh, plan: this.plans.toPlan(profile, endpoint) },
      ...{ generator: null, progress: null, error: null, summary: null, runnerResults: null, budget: null },
      ...{ measurement: null, serverMetrics: null, testStartTime: null, finishedAt: null, restarts: 0 },
    });
    await this.runs.insert(run);
    await this.jobs.enqueue<RunPayload>(actor, {
      id: run.id,
      queue: RUNS_QUEUE,
      payload: { profile: profileId },
      organizationId,
      // Concurrent runs of a profile would disturb each other's measurements.
      serialKey: `performance ${profileId}`,
      mostTakes: 1,
    });
    return run;
  }

  /** Whether one more run may be made in this organization now; until the end of the transaction no other request gets the same answer. */
  async hasRoom(profile: PerformanceProfile): Promise<boolean> {
    return (await this.findExceededLimit(profile)) === undefined;
  }

  private async findExceededLimit({ organizationId }: PerformanceProfile): Promise<LimitSetting | undefined> {
    const { maxRuns, maxRunsOfOrganization } = this.plans.limits;
    const unfinished = await this.unit.runAsSystem('counting performance runs', () =>
      this.runs.countUnfinished(organizationId),
    );
    if (unfinished.organization >= maxRunsOfOrganization) return 'LIMIT_PERFORMANCE_ORGANIZATION_RUNS';
    // The last one is kept for an organization without a run.
    const most = unfinished.organization > 0 ? Math.max(1, maxRuns - 1) : maxRuns;
    return unfinished.all >= most ? 'LIMIT_PERFORMANCE_RUNS' : undefined;
  }
}

function tooManyRuns(setting: LimitSetting): AppError {
  const whose = setting === 'LIMIT_PERFORMANCE_RUNS' ? 'the server' : 'the organization';
  return new AppError(429, 'TOO_MANY_RUNS', 'Too many runs', `${whose} has as many runs at a time as it may have`, {
    remedy: limitRemedy('Wait until one has ended, or cancel one.', setting),
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}
