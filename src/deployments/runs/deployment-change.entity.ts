import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** One change that a running deployment has made or is about to make on a cluster. */
@Entity('deployment_change')
export class DeploymentChange {
  @ForeignKey('Deployment')
  @PrimaryColumn('uuid')
  deploymentId!: string;

  @PrimaryColumn('uuid')
  connectionId!: string;

  /** From 1, in the order in which the changes were recorded. */
  @PrimaryColumn('integer')
  number!: number;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  /** The change as JSON, compressed and encrypted, because the previous object may be a Secret. */
  @Column('bytea')
  content!: Buffer;
}
