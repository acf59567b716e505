import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One change that a running deployment made or was about to make on a cluster. */
@Entity('deployment_change')
export class DeploymentChange {
  @PrimaryColumn('uuid')
  deploymentId!: string;

  @PrimaryColumn('uuid')
  connectionId!: string;

  /** From 1, in the order in which the changes were recorded. */
  @PrimaryColumn('integer')
  number!: number;

  @Column('uuid')
  organizationId!: string;

  /** The change as JSON, packed and sealed: the object from before may be a secret. */
  @Column('bytea')
  content!: Buffer;
}
