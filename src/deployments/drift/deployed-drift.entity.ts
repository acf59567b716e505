import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

export const DRIFT_STATUSES = ['in_sync', 'drifted', 'unknown'] as const;
export type DriftStatus = (typeof DRIFT_STATUSES)[number];

/** The result of the last drift comparison of a design on a cluster. */
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

  /** The deployment that was compared. */
  @Column('uuid')
  deploymentId!: string;

  @Column('text')
  status!: DriftStatus;

  @Column({ type: 'timestamptz', precision: 3 })
  checkedAt!: Date;

  /** Identifies the fields that have drifted; null while there are none. */
  @Column('text', { nullable: true })
  fieldsDigest!: string | null;

  /** Duration of the comparison in milliseconds. */
  @Column('integer', { default: 0 })
  tookMs!: number;

  /** The times of recent heals, in ISO 8601. */
  @Column('jsonb', { default: [] })
  heals!: string[];

  /** Whether self-healing has stopped after too many attempts. */
  @Column('boolean', { default: false })
  stopped!: boolean;
}
