import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

export const DRIFT_STATUSES = ['in_sync', 'drifted', 'unknown'] as const;
export type DriftStatus = (typeof DRIFT_STATUSES)[number];

/** Whether what a design should be on a cluster is what is there, as it was last compared. */
@Entity('deployed_drift')
export class DeployedDrift {
  @ForeignKey('Design', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  designId!: string;

  @ForeignKey('Connection', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  connectionId!: string;

  @PrimaryColumn('uuid')
  environmentId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  /** The deployment that stood there. */
  @Column('uuid')
  deploymentId!: string;

  @Column('text')
  status!: DriftStatus;

  @Column({ type: 'timestamptz', precision: 3 })
  checkedAt!: Date;

  /** How long the comparison took, in milliseconds. */
  @Column('integer', { default: 0 })
  tookMs!: number;

  /** When it was healed lately: times of ISO 8601. */
  @Column('jsonb', { default: [] })
  heals!: string[];

  /** Whether healing has stopped because it was tried too often. */
  @Column('boolean', { default: false })
  stopped!: boolean;
}
