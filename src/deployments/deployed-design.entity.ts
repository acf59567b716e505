import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ObjectReference } from '../kubernetes/clusters/kubernetes-object.js';

/** What was on the cluster before the deployment. */
export interface PreviousDeployment {
  /** The deployment before the one in progress; absent once that has ended. */
  deployment_id?: string;
  design_version?: number;
  objects?: ObjectReference[];
  namespace?: string | null;
  /** Versions before it whose objects failed deployments have left there. */
  earlier_versions?: number[];
}

/** A design that is deployed on a cluster. The row exists until the design is undeployed. */
@Entity('deployed_design')
@Index('deployed_design_connection', ['connectionId'])
@Index('deployed_design_workspace', ['workspaceId'])
@Index('deployed_design_deployment', ['deploymentId'])
export class DeployedDesignRecord {
  @ForeignKey('Design')
  @PrimaryColumn('uuid')
  designId!: string;

  @ForeignKey('Connection')
  @PrimaryColumn('uuid')
  connectionId!: string;

  @PrimaryColumn('uuid')
  environmentId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  @ForeignKey('Workspace')
  @Column('uuid')
  workspaceId!: string;

  @ForeignKey('Deployment')
  @Column('uuid')
  deploymentId!: string;

  @Column('integer')
  designVersion!: number;

  /** The namespace of objects that name none; null when the design has no such objects. */
  @Column('text', { nullable: true })
  namespace!: string | null;

  /** All objects that its deployments have applied on the cluster. */
  @Column('jsonb', { default: [] })
  objects!: ObjectReference[];

  @Column('jsonb', { nullable: true })
  previous!: PreviousDeployment | null;
}
