import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { AppliedFields } from './applied-fields.js';
import type { HealthStatus } from './health/health-status.js';

/** One object of a connected cluster, as the watch of the cluster last saw it. */
@Entity('cluster_resource')
@Index('cluster_resource_object', ['connectionId', 'kind', 'namespace', 'name', 'apiVersion'], { unique: true })
@Index('cluster_resource_created', ['organizationId', 'createdAt', 'id'])
@Index('cluster_resource_connection', ['connectionId', 'createdAt', 'id'])
@Index('cluster_resource_uid', ['connectionId', 'uid'])
@Index('cluster_resource_owner', ['connectionId', 'ownerUid'], { where: 'owner_uid IS NOT NULL' })
@Index('cluster_resource_design', ['designId'], { where: 'design_id IS NOT NULL' })
@Index('cluster_resource_labels', { synchronize: false })
export class ClusterResource {
  @PrimaryColumn('uuid')
  id!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  @ForeignKey('Connection', { onDelete: 'CASCADE' })
  @Column('uuid')
  connectionId!: string;

  @Column('text')
  apiVersion!: string;

  @Column('text')
  kind!: string;

  /** Empty for an object of a kind that is not namespaced. */
  @Column('text')
  namespace!: string;

  @Column('text')
  name!: string;

  @Column('text')
  uid!: string;

  /** The uid of the controller that it belongs to, as a Pod to its ReplicaSet. */
  @Column('text', { nullable: true })
  ownerUid!: string | null;

  @Column('text')
  resourceVersion!: string;

  @Column('jsonb')
  labels!: Record<string, string>;

  /** Null for kinds that have no health. */
  @Column('text', { nullable: true })
  health!: HealthStatus | null;

  @Column('text', { nullable: true })
  healthMessage!: string | null;

  /** Of its owner labels, which anyone may have written: they say what the object calls itself. */
  @Column('uuid', { nullable: true })
  installationId!: string | null;

  /** Of its owner labels, or of the object that it belongs to. */
  @Column('uuid', { nullable: true })
  designId!: string | null;

  @Column('uuid', { nullable: true })
  environmentId!: string | null;

  /** The fields that this server has applied, with those that others have taken over since; null when it has applied none. */
  @Column('jsonb', { nullable: true, select: false })
  appliedFields!: AppliedFields | null;

  /** Stands for the values at these fields. */
  @Column('text', { nullable: true })
  appliedDigest!: string | null;

  /** The object without managed fields, without data of Secrets, and bounded in size. */
  @Column('jsonb', { select: false })
  content!: Record<string, unknown>;

  /** JSON Pointers of what was too large to be kept. */
  @Column('text', { array: true })
  omitted!: string[];

  /** When the object was made on the cluster. */
  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** When the watch last saw it change. */
  @Column({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
