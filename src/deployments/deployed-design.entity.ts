import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ObjectReference } from '../kubernetes/clusters/kubernetes-object.js';

/** What stood on a cluster before the deployment that is under way there. */
export interface PreviousDeployment {
  deployment_id: string;
  design_version: number;
  objects: ObjectReference[];
  namespace?: string | null;
}

/** That a design stands on a cluster: objects of it may be there until it is undeployed. */
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

  /** Where those of its objects are that name no namespace; null when there are none. */
  @Column('text', { nullable: true })
  namespace!: string | null;

  /** Everything that its deployments have applied there. */
  @Column('jsonb', { default: [] })
  objects!: ObjectReference[];

  @Column('jsonb', { nullable: true })
  previous!: PreviousDeployment | null;
}
