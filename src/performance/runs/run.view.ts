import { PaginatedView } from '../../core/listing/page.js';
import { RecordView } from '../../core/schema/record.view.js';
import {
  IdField,
  IntField,
  MapField,
  ProblemField,
  TextField,
  TimeField,
  WordField,
} from '../../core/schema/view-fields.js';
import { LoadPlanView, SummaryView } from '../load/figures.view.js';
import type { LoadPlan } from '../load/load-plan.js';
import type { Summary } from '../load/runner-results.js';
import { RUN_STATUSES, type RunStatus } from '../profiles/run-status.js';
import { RunProgressView } from './run-progress.view.js';
import { type PerformanceRun, RUN_TRIGGERS, type RunProgress, type RunTrigger } from './run.entity.js';

/** A run as it goes on, under the id of its operation. */
export class PerformanceRunView extends RecordView {
  @TextField({ rest: true })
  name!: string;

  @IdField({ rest: true, description: 'The profile that it is a run of.' })
  profile_id!: string;

  @IdField({ rest: true })
  workspace_id!: string;

  @IdField({ rest: true })
  organization_id!: string;

  @IdField({ rest: true, description: 'Who asked for it, or set the schedule.' })
  user_id!: string;

  @WordField(RUN_STATUSES, { rest: true })
  status!: RunStatus;

  @WordField(RUN_TRIGGERS, { rest: true, description: 'Whether a user requested it, or the schedule.' })
  trigger!: RunTrigger;

  @TextField({ rest: true, nullable: true, description: 'The load generator, once it has begun.' })
  load_generator!: string | null;

  @MapField({ of: () => LoadPlanView, rest: true, description: 'What was asked of the load generator.' })
  plan!: LoadPlan;

  @MapField({
    of: () => RunProgressView,
    rest: true,
    nullable: true,
    description: 'Seconds and requests so far, and the figures of the last second.',
  })
  progress!: RunProgress | null;

  @ProblemField({ description: 'The problem, once it has failed.' })
  error!: object | null;

  @MapField({
    of: () => SummaryView,
    rest: true,
    nullable: true,
    description: 'The figures; of a run that did not reach its end, those of its part.',
  })
  summary!: Summary | null;

  @IdField({ rest: true, nullable: true, description: 'The id of its result, once it has ended with one.' })
  result_id!: string | null;

  @IntField({ rest: true, description: 'How often it was begun anew, because the server that made it was shut down.' })
  restarts!: number;

  @TimeField({ rest: true, nullable: true })
  started_at!: Date | null;

  @TimeField({ rest: true, nullable: true })
  finished_at!: Date | null;

  static fromEntity(this: void, run: PerformanceRun): PerformanceRunView {
    return RecordView.assignRecord(new PerformanceRunView(), run, {
      name: run.name,
      profile_id: run.profileId,
      workspace_id: run.workspaceId,
      organization_id: run.organizationId,
      user_id: run.userId,
      status: run.status,
      trigger: run.trigger,
      load_generator: run.generator,
      plan: run.plan,
      progress: run.progress,
      error: run.error,
      summary: run.summary,
      result_id: run.hasResult ? run.id : null,
      restarts: run.restarts,
      started_at: run.testStartTime,
      finished_at: run.finishedAt,
    });
  }
}

export const PerformanceRunPage = PaginatedView(PerformanceRunView, 'runs', 'PerformanceRunPage');
