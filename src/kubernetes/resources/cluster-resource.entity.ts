import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { AppliedFields } from './applied-fields.js';
import type { HealthStatus } from './health/health-status.js';

/** An object on a connected cluster, in the state that the watch last received. */
@Entity('cluster_resource')
@Index('cluster_resource_object', ['connectionId', 'kind', 'namespace', 'name', 'apiVersion'], { unique: true })
@Index('cluster_resource_created', ['organizationId', 'createdAt', 'id'])
@Index('cluster_resource_connection', ['connectionId', 'createdAt', 'id'])
@Index('cluster_resource_designed', ['connectionId', 'uid'], { where: 'design_id IS NOT NULL' })
@Index('cluster_resource_owner', ['connectionId', 'ownerUid'], { where: 'owner_uid IS NOT NULL' })
@Index('cluster_resource_design', ['designId'], { where: 'design_id IS NOT NULL' })
@Index('cluster_resource_labels', { synchronize: false })
@Index('cluster_resource_name', { synchronize: false })
@Index('cluster_resource_search', { synchronize: false })
@Index('cluster_resource_degraded', ['designId'], {
  where: "health = 'Degraded' AND design_id IS NOT NULL",
})
export class ClusterResource {
  @PrimaryColumn('uuid')
  id!: string;

  /** That of the connection. */
  @Column('uuid')
  organizationId!: string;

  @ForeignKey('Connection', { onDelete: 'CASCADE' })
  @Column('uuid')
  connectionId!: string;

  @Column('text')
  apiVersion!: string;

  @Column('text')
  kind!: string;

  /** Empty for a cluster-scoped object. */
  @Column('text')
  namespace!: string;

  @Column('text')
  name!: string;

  @Column('text')
  uid!: string;

  /** The uid of the controlling owner, such as the ReplicaSet of a Pod. */
  @Column('text', { nullable: true })
  ownerUid!: string | null;

  @Column('text')
  resourceVersion!: string;

  @Column('jsonb')
  labels!: Record<string, string>;

  /** Null for kinds without health. */
  @Column('text', { nullable: true })
  health!: HealthStatus | null;

  @Column('text', { nullable: true })
  healthMessage!: string | null;

  /** From its owner labels, which anyone may have set. */
  @Column('uuid', { nullable: true })
  installationId!: string | null;

  /** From its owner labels, or from its owner. */
  @Column('uuid', { nullable: true })
  designId!: string | null;

  @Column('uuid', { nullable: true })
  environmentId!: string | null;

  /** The fields that this server has applied, including those that others have taken over since; null without any. */
  @Column('jsonb', { nullable: true, select: false })
  appliedFields!: AppliedFields | null;

  /** A digest of the values at these fields. */
  @Column('text', { nullable: true })
  appliedDigest!: string | null;

  /** The object without managed fields and data of Secrets, limited in size. */
  @Column('jsonb', { select: false })
  content!: Record<string, unknown>;

  /** JSON Pointers of parts that were too large to store. */
  @Column('text', { array: true })
  omitted!: string[];

  /** Of all that is stored of the object; null until a version that computes it has seen the object. */
  @Column('text', { nullable: true, select: false })
  digest!: string | null;

  /** When the object was created on the cluster. */
  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** When the watch last received a change. */
  @Column({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
