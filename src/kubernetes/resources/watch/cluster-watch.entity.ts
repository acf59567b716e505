import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

export const WATCH_STATUSES = ['starting', 'watching', 'failing'] as const;
export type WatchStatus = (typeof WATCH_STATUSES)[number];

export const RESYNCS = ['list', 'clear', 'discover'] as const;
/** The action of a resync: `list` everything again, `clear` the stored objects before, or also `discover` the kinds again. */
export type Resync = (typeof RESYNCS)[number];

export const MISSING_REASONS = ['forbidden', 'partial', 'too_large', 'failing', 'unavailable'] as const;

/** A kind that is not watched, and the reason. */
export interface MissingKind {
  api_version: string;
  /** `*` for all kinds of an aggregated API whose server is unavailable. */
  kind: string;
  /**
   * `partial`: watched in some namespaces only, because listing all is forbidden. `unavailable`: the aggregated
   * API server does not respond; stored objects remain.
   */
  reason: (typeof MISSING_REASONS)[number];
  detail: string;
  /** For `partial`: the watched namespaces. */
  namespaces?: string[];
}

/** The watch of a connected cluster: its holder and state. */
@Entity('cluster_watch')
@Index('cluster_watch_access', ['accessDigest'])
export class ClusterWatch {
  @ForeignKey('Connection', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  connectionId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  /** A keyed digest of address, certificates and authentication: connections with the same one share a watch. Null until it is computed. */
  @Column('text', { nullable: true })
  accessDigest!: string | null;

  /** The revision of the connection and its credential that the digest was computed of. */
  @Column('text', { nullable: true })
  accessRevision!: string | null;

  /** The process that watches it until its lease expires. */
  @Column('text', { nullable: true })
  worker!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  @Column('text', { default: 'starting' })
  status!: WatchStatus;

  @Column('text', { nullable: true })
  error!: string | null;

  /**
   * The uid of the namespace kube-system, which identifies the cluster: a different uid is a different cluster at
   * the same address.
   */
  @Column('text', { nullable: true })
  clusterUid!: string | null;

  /** The number of watched kinds. */
  @Column('integer', { default: 0 })
  kinds!: number;

  @Column('jsonb', { default: [] })
  missing!: MissingKind[];

  /** When everything was first listed; null until then. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  syncedAt!: Date | null;

  /** Since when stored objects may be outdated; null while they are updated, and before any were stored. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  staleSince!: Date | null;

  @Column('text', { nullable: true })
  resync!: Resync | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
