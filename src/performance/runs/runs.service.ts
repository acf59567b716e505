import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict } from '../../core/errors/app-error.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { RecordGate } from '../../core/records/record-gate.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { WorkspacePlacementService } from '../../workspaces/workspace-owned/workspace-placement.service.js';
import { performancePolicy } from '../profiles/performance.policy.js';
import type { PerformanceQuery, RunsQuery } from '../profiles/profile.inputs.js';
import { ProfilesService } from '../profiles/profiles.service.js';
import type { RunStatus } from '../profiles/run-status.js';
import type { PerformanceRun } from './run.entity.js';
import { PerformanceRunView } from './run.view.js';
import { type RunDetails, type RunScope, RunsStore } from './runs.store.js';

/** How long a cancel request waits for the end of the run. */
const CANCEL_PATIENCE_MS = 5_000;
const RESULTS: readonly RunStatus[] = ['succeeded'];

/** Reads and cancels runs; members of the workspace may read them. */
@Injectable()
export class RunsService extends RecordGate<PerformanceRun, typeof performancePolicy> {
  constructor(
    private readonly runs: RunsStore,
    private readonly profiles: ProfilesService,
    private readonly placement: WorkspacePlacementService,
    private readonly jobs: JobsService,
    access: Access,
    private readonly unit: UnitOfWork,
  ) {
    super(access, {
      name: 'performance run',
      policy: performancePolicy,
      store: runs,
      getProtectedRecord: ({ workspaceId, organizationId }) => ({ type: 'workspace', id: workspaceId, organizationId }),
      toView: PerformanceRunView.fromEntity,
    });
  }

  /** Lists runs of every status. @throws NotFound for a profile that the actor may not see */
  async listRuns(actor: Actor, query: RunsQuery): Promise<Page<PerformanceRun>> {
    const { profile_id: profileId, status } = query;
    if (profileId !== undefined) await this.profiles.authorize(actor, performancePolicy.read, profileId);
    return this.list(actor, query, { ...(profileId ? { profileId } : {}), ...(status ? { statuses: [status] } : {}) });
  }

  private async list(actor: Actor, query: PerformanceQuery, narrower: RunScope = {}): Promise<Page<PerformanceRun>> {
    assertScope(actor, performancePolicy.read);
    await this.placement.assertVisible(actor, query);
    const { organization_id: organizationId, workspace_id: workspaceId } = query;
    return this.runs.page(actor, { organizationId, workspaceId, ...narrower }, query);
  }

  /** Lists the results of all profiles that the actor may see. */
  listResults(actor: Actor, query: PerformanceQuery, narrower: RunScope = {}): Promise<Page<PerformanceRun>> {
    return this.list(actor, query, { statuses: RESULTS, ...narrower });
  }

  /** Lists the results of one profile. @throws NotFound when the actor may not see it */
  async listProfileResults(
    actor: Actor,
    profileId: string,
    query: ListQuery,
    narrower: RunScope = {},
  ): Promise<Page<PerformanceRun>> {
    await this.profiles.authorize(actor, performancePolicy.read, profileId);
    return this.runs.page(actor, { profileId, statuses: RESULTS, ...narrower }, query);
  }

  /** A run that has ended with figures, be they of a part. @throws NotFound also for one that has none */
  async getResult(actor: Actor, id: string): Promise<PerformanceRun> {
    assertScope(actor, performancePolicy.read);
    const run = await this.runs.find(actor, id);
    return this.orNotFound(id, run?.hasResult ? run : null);
  }

  /** The result that this one is compared with: the one that its profile names, or the last good one before it. */
  async findBaseline(actor: Actor, run: PerformanceRun): Promise<string | undefined> {
    const { baselineId } = await this.profiles.get(actor, run.profileId);
    return baselineId && baselineId !== run.id ? baselineId : this.runs.findLastGood(run);
  }

  /** A result with all that was measured. */
  async getDetails(actor: Actor, id: string): Promise<{ run: PerformanceRun; details: RunDetails }> {
    const run = await this.getResult(actor, id);
    const details = (await this.runs.findDetails([id])).get(id);
    return { run, details: details ?? { measurement: null, serverMetrics: null } };
  }

  /** Cancels a run, once or again. @throws Conflict RUN_FINISHED when it has already ended otherwise */
  async cancel(actor: Actor, id: string): Promise<PerformanceRun> {
    const running = await this.unit.run(async () => {
      const run = await this.getAuthorized(actor, id, 'cancel');
      if (run.status === 'succeeded' || run.status === 'failed')
        throw new Conflict('RUN_FINISHED', `the run has already ${run.status}`, {
          remedy: 'There is nothing left to cancel.',
        });
      return (await this.jobs.cancel(id)) !== null && run.status === 'running';
    });
    if (running) await this.jobs.waitUntilFinished(id, { timeoutMs: CANCEL_PATIENCE_MS });
    return this.get(actor, id);
  }
}
