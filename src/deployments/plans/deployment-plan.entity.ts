import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { newId } from '../../core/database/base.entity.js';
import type { PlannedResource } from '../plan/planned-resource.js';
import type { Rendering } from '../renderings/rendering.js';
import type { DeploymentOptions } from '../deployment.entity.js';

/** The planned action on one object. */
export type PlannedAction = Pick<PlannedResource, 'api_version' | 'kind' | 'namespace' | 'name' | 'action'> & {
  connection_id: string;
};

/** The inputs of a plan, so that `plan_id` can deploy exactly that plan; kept for a day, or with the deployment that was requested with it. */
@Entity('deployment_plan')
@Index('deployment_plan_age', ['createdAt'])
export class DeploymentPlan {
  @PrimaryColumn('uuid')
  id: string = newId();

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  @ForeignKey('Design')
  @Column('uuid')
  designId!: string;

  @Column('integer')
  designVersion!: number;

  /** Of a chart: its rendering for each cluster, by connection. */
  @Column('jsonb', { default: {} })
  renderings!: Record<string, Rendering>;

  /** The current version of the design when the plan was made; null when the caller named a version. */
  @Column('integer', { nullable: true })
  currentVersion!: number | null;

  @ForeignKey('Environment')
  @Column('uuid')
  environmentId!: string;

  @Column('uuid', { array: true })
  connectionIds!: string[];

  @Column('jsonb', { default: {} })
  options!: DeploymentOptions;

  /** The fingerprint of the plan on each cluster, by connection. */
  @Column('jsonb')
  fingerprints!: Record<string, string>;

  /** The planned action on each object, for diagrams. */
  @Column('jsonb', { default: [] })
  resources!: PlannedAction[];

  /** The plan as it was returned, compressed and encrypted; null of a plan of an earlier version of the server. */
  @Column('bytea', { nullable: true, select: false })
  content!: Buffer | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
