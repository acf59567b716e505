import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { newId } from '../../core/database/base.entity.js';
import type { PlannedResource } from '../plan/planned-resource.js';
import type { DeploymentOptions } from '../deployment.entity.js';

/** What a plan would do with one object. */
export type PlannedAction = Pick<PlannedResource, 'api_version' | 'kind' | 'namespace' | 'name' | 'action'> & {
  connection_id: string;
};

/** What a plan was made of, so that `plan_id` can deploy exactly that; kept for a day. */
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

  /** The design's current version when the plan was made; null when the caller named the version to plan. */
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

  /** What it would do with each object, as pictures show it. */
  @Column('jsonb', { default: [] })
  resources!: PlannedAction[];

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
