import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';
import type { Problem } from '../../core/errors/problem.js';
import type { LoadGenerator, LoadPlan } from '../load/load-plan.js';
import type { Measurement } from '../load/measurement.js';
import type { Summary } from '../load/runner-results.js';
import type { BudgetVerdict } from '../profiles/budget.js';
import type { RunStatus } from '../profiles/run-status.js';
import type { ServerMetrics } from './server-metrics.js';

export const RUN_TRIGGERS = ['manual', 'schedule'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** The progress of a run. */
export interface RunProgress {
  seconds: number;
  of: number;
  requests: number;
  errors: number;
  /** Of the last second. */
  rps: number;
  p50_ms: number;
  p99_ms: number;
}

/**
 * One run of a profile; it has the id of its job. A run that succeeded is a result. The services of its life, in order:
 * `ScheduledRunsService` (only by schedule), `RunRequestsService` (stored and queued, with its plan), `RunRunner` (the job: authorized
 * again, `RunPlansService` checks the plan, `RunCompletionService` stores the start, the load is driven, `ServerMetricsService` reads the
 * series), `RunCompletionService` (stores the end). `RunsService` reads and cancels it meanwhile and later.
 */
@Entity('performance_run')
@Index('performance_run_created', ['organizationId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('performance_run_workspace', ['workspaceId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('performance_run_profile', ['profileId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('performance_run_unfinished', ['organizationId'], { where: 'finished_at IS NULL' })
@Check('performance_run_status_check', `status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')`)
export class PerformanceRun extends TenantEntity {
  @ForeignKey('Workspace')
  @Column('uuid')
  workspaceId!: string;

  @ForeignKey('PerformanceProfile')
  @Column('uuid')
  profileId!: string;

  /** The user who requested the run or set the schedule. */
  @ForeignKey('User')
  @Column('uuid')
  userId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  trigger!: RunTrigger;

  @Column('text', { default: 'queued' })
  status!: RunStatus;

  /** The service mesh of the profile at that time. */
  @Column('text', { default: '' })
  mesh!: string;

  @Column('text', { nullable: true })
  generator!: LoadGenerator | null;

  @Column('jsonb')
  plan!: LoadPlan;

  /** How often it was begun anew, because the server that made it was shut down. */
  @Column('integer', { default: 0 })
  restarts!: number;

  @Column('jsonb', { nullable: true })
  progress!: RunProgress | null;

  @Column('jsonb', { nullable: true })
  error!: Problem | null;

  @Column('jsonb', { nullable: true })
  summary!: Summary | null;

  /** In the format of Fortio. */
  @Column('jsonb', { nullable: true })
  runnerResults!: object | null;

  @Column('jsonb', { nullable: true })
  budget!: BudgetVerdict | null;

  /** All parts of the run, for comparisons and charts. */
  @Column('jsonb', { nullable: true, select: false })
  measurement!: Measurement | null;

  @Column('jsonb', { nullable: true, select: false })
  serverMetrics!: ServerMetrics | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  testStartTime!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;

  get hasEnded(): boolean {
    return this.finishedAt !== null;
  }

  /** Whether it has ended with figures; those of a run that was cancelled or failed are of a part. */
  get hasResult(): boolean {
    return this.status === 'succeeded' || (this.hasEnded && this.summary !== null);
  }
}
