import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';
import type { LoadModel, Method, Protocol, RateStage } from '../load/load-plan.js';
import type { Schedule } from '../schedules/schedule.js';
import type { Budget } from './budget.js';

/** The settings of a load test: endpoints, load and budget. It belongs to exactly one workspace. */
@Entity('performance_profile')
@Index('performance_profile_created', ['organizationId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('performance_profile_workspace', ['workspaceId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('performance_profile_due', ['nextRunAt'], { where: 'next_run_at IS NOT NULL AND deleted_at IS NULL' })
export class PerformanceProfile extends TenantEntity {
  @ForeignKey('Workspace')
  @Column('uuid')
  workspaceId!: string;

  @Column('text')
  name!: string;

  /** The user who owns it. */
  @ForeignKey('User')
  @Column('uuid')
  userId!: string;

  @Column('text', { default: '' })
  serviceMesh!: string;

  /** In the order of preference. */
  @Column('text', { array: true, default: [] })
  loadGenerators!: string[];

  @Column('text', { array: true })
  endpoints!: string[];

  /** Connections at a time; 0 for as many as the rate needs. */
  @Column('integer')
  concurrentRequest!: number;

  /** Requests per second; 0 without a limit. */
  @Column('double precision')
  qps!: number;

  /** How the rate changes from `qps` on. */
  @Column('jsonb', { default: [] })
  stages!: RateStage[];

  /** The time for a response, as it was sent, such as `10s`. */
  @Column('text', { default: '10s' })
  timeout!: string;

  /** The result that others are compared with; null for the last good one before them. */
  @Column('uuid', { nullable: true })
  baselineId!: string | null;

  /** As it was sent, such as `1m30s`. */
  @Column('text')
  duration!: string;

  @Column('text')
  protocol!: Protocol;

  @Column('text')
  method!: Method;

  @Column('text')
  loadModel!: LoadModel;

  @Column('text', { default: '' })
  contentType!: string;

  /** The names of the headers and cookies; their values are in `content`. */
  @Column('text', { array: true, default: [] })
  headerNames!: string[];

  @Column('text', { array: true, default: [] })
  cookieNames!: string[];

  /** `RequestContent`, encrypted by the vault. */
  @Column('bytea', { select: false })
  content!: Buffer;

  @Column('jsonb', { default: {} })
  metadata!: Record<string, unknown>;

  @Column('jsonb', { nullable: true })
  budget!: Budget | null;

  @Column('jsonb', { nullable: true })
  schedule!: Schedule | null;

  /** The actor of scheduled runs: the user who set the schedule. */
  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  scheduledBy!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  nextRunAt!: Date | null;

  /** The Prometheus connection for metrics of the server. */
  @ForeignKey('Connection')
  @Column('uuid', { nullable: true })
  metricsConnectionId!: string | null;

  /** PromQL. */
  @Column('text', { array: true, default: [] })
  metricsQueries!: string[];

  /** When its last run ended. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastRun!: Date | null;

  @Column('integer', { default: 0 })
  totalResults!: number;
}
