import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Generated,
  Index,
  PrimaryColumn,
  UpdateDateColumn,
} from 'typeorm';
import type { Problem } from '../core/errors/problem.js';
import type { Job, JobStatus } from './job.js';

/** A stored job. */
@Entity('job')
@Index('job_ready', ['queue', 'runAt', 'position'], { where: "status = 'queued'" })
@Index('job_running', ['worker'], { where: "status = 'running'" })
@Index('job_serial_running', ['serialKey'], { unique: true, where: "status = 'running'" })
@Index('job_serial_queued', ['serialKey', 'position'], { where: "status = 'queued' AND serial_key IS NOT NULL" })
@Index('job_finished', ['finishedAt'], { where: 'finished_at IS NOT NULL' })
@Check('job_status_check', `status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')`)
export class JobRecord implements Job {
  @PrimaryColumn('uuid')
  id!: string;

  /** The enqueue order: an identity column, which TypeORM can declare only for primary keys. */
  @Column('bigint')
  @Generated()
  position!: string;

  @Column('text')
  queue!: string;

  @Column('jsonb', { default: {} })
  payload!: unknown;

  @Column('text', { default: 'queued' })
  status!: JobStatus;

  @Column('jsonb', { nullable: true })
  progress!: object | null;

  @Column('jsonb', { nullable: true })
  result!: unknown;

  @Column('jsonb', { nullable: true })
  error!: Problem | null;

  @ForeignKey('Organization')
  @Column('uuid', { nullable: true })
  organizationId!: string | null;

  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  requestedBy!: string | null;

  @Column('text', { nullable: true })
  serialKey!: string | null;

  /** Its serial key before its turn ended. */
  @Column('text', { nullable: true })
  endedTurn!: string | null;

  @Column('text', { nullable: true })
  shareKey!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  runAt!: Date;

  @Column('integer', { default: 0 })
  attempt!: number;

  @Column('integer', { default: 0 })
  failures!: number;

  @Column('integer', { default: 0 })
  losses!: number;

  @Column('integer', { default: 1 })
  mostAttempts!: number;

  @Column('integer', { default: 3 })
  mostTakes!: number;

  @Column('uuid', { nullable: true })
  worker!: string | null;

  /** The worker's lease expires at this time. */
  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('boolean', { default: false })
  cancelRequested!: boolean;

  /** The user who asked to cancel it first. */
  @Column('uuid', { nullable: true })
  cancelledBy!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
