import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../../core/listing/page.js';
import { RecordView } from '../../core/schema/record.view.js';
import {
  CountsField,
  EnumField,
  graphqlEnum,
  IdField,
  MapField,
  MapsField,
  TextField,
  TextsField,
  TimeField,
} from '../../core/schema/view-fields.js';
import { LatencyPartsView, LoadPlanView, SummaryView, TimelinePointView } from '../load/figures.view.js';
import type { LoadPlan } from '../load/load-plan.js';
import { mergeSlices } from '../load/measurement.js';
import {
  type LatencyParts,
  type Summary,
  type TimelinePoint,
  toLatencyParts,
  toTimeline,
} from '../load/runner-results.js';
import { BudgetVerdictView } from '../profiles/budget.view.js';
import type { BudgetVerdict } from '../profiles/budget.js';
import { RUN_STATUSES, type RunStatus } from '../profiles/run-status.js';
import type { PerformanceRun, RunProgress } from './run.entity.js';
import { RunProgressView } from './run-progress.view.js';
import { warningsOf } from './run-warnings.js';
import type { RunDetails } from './runs.store.js';
import { ServerMetricsView } from './server-metrics.view.js';
import type { ServerMetrics } from './server-metrics.js';

const RunStatusEnum = graphqlEnum('PerfRunStatus', RUN_STATUSES, 'How far the run of a performance test has come.');

@ObjectType('PerfResult', { description: 'What was measured in a run.' })
export class PerformanceResultView extends RecordView {
  @TextField()
  name!: string;

  @TextField({ nullable: true, description: 'The service mesh that was tested, if any.' })
  mesh!: string;

  @IdField({ nullable: true, description: 'The profile that it is a result of.' })
  performance_profile!: string;

  @TextField({ nullable: true, description: 'The id of the run.' })
  test_id!: string;

  @MapField({
    nullable: true,
    description: 'The results in the form of Fortio: DurationHistogram, ActualQPS, RetCodes.',
  })
  runner_results!: object | null;

  @MapField({
    of: () => ServerMetricsView,
    nullable: true,
    optional: true,
    description: 'Series of Prometheus during the run; over REST of a single result.',
  })
  server_metrics?: ServerMetrics | null;

  @TimeField({ nullable: true, description: 'When the load began.' })
  test_start_time!: Date | null;

  @IdField({ nullable: true, description: 'Who asked for the run, or set the schedule.' })
  user_id!: string;

  @EnumField(RunStatusEnum, {
    nullable: true,
    description:
      'succeeded; subscriptions also show runs in progress, and a run that ended early has what it measured.',
  })
  status!: RunStatus;

  @MapField({ of: () => RunProgressView, nullable: true, description: 'How far the run has come.' })
  progress!: RunProgress | null;

  @IdField({ rest: true })
  workspace_id!: string;

  @IdField({ rest: true })
  organization_id!: string;

  @TextField({ rest: true, nullable: true, description: 'The load generator.' })
  load_generator!: string | null;

  @MapField({ of: () => LoadPlanView, rest: true, description: 'What was asked of the load generator.' })
  plan!: LoadPlan;

  @MapField({ of: () => SummaryView, rest: true, nullable: true, description: 'The figures.' })
  summary!: Summary | null;

  @MapField({
    of: () => BudgetVerdictView,
    rest: true,
    nullable: true,
    description: 'Whether the budget of the profile was kept, bound by bound.',
  })
  budget!: BudgetVerdict | null;

  @TextsField({ rest: true, description: 'What a reader has to know to read the figures right.' })
  warnings!: string[];

  @CountsField({
    rest: true,
    optional: true,
    description: 'Requests without a response, by what went wrong; of a single result.',
  })
  errors?: Record<string, number>;

  @MapField({
    of: () => LatencyPartsView,
    rest: true,
    optional: true,
    nullable: true,
    description: 'The parts of the latency; of a single result, and null for generators that do not measure them.',
  })
  latency_parts?: LatencyParts | null;

  @MapsField({
    of: () => TimelinePointView,
    rest: true,
    optional: true,
    description: 'Throughput, statuses and latencies over time; of a single result.',
  })
  timeline?: TimelinePoint[];

  static fromEntity(this: void, run: PerformanceRun): PerformanceResultView {
    return RecordView.assignRecord(new PerformanceResultView(), run, {
      name: run.name,
      mesh: run.mesh,
      performance_profile: run.profileId,
      test_id: run.id,
      runner_results: run.runnerResults,
      test_start_time: run.testStartTime,
      user_id: run.userId,
      status: run.status,
      progress: run.progress,
      workspace_id: run.workspaceId,
      organization_id: run.organizationId,
      load_generator: run.generator,
      plan: run.plan,
      summary: run.summary,
      budget: run.budget,
      warnings: warningsOf(run),
    });
  }

  /** One result, with all that was measured. */
  static fromDetails(
    this: void,
    run: PerformanceRun,
    { measurement, serverMetrics }: RunDetails,
  ): PerformanceResultView {
    const whole = mergeSlices(measurement?.slices ?? []);
    return Object.assign(PerformanceResultView.fromEntity(run), {
      server_metrics: serverMetrics,
      errors: whole.errors,
      latency_parts: measurement && toLatencyParts(measurement),
      timeline: toTimeline(measurement ?? { slices: [] }),
    });
  }
}

export const PerformanceResultPage = PaginatedView(PerformanceResultView, 'results', 'PerfPageResult');
