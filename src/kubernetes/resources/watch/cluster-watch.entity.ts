import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

export const WATCH_STATUSES = ['starting', 'watching', 'failing'] as const;
export type WatchStatus = (typeof WATCH_STATUSES)[number];

export const RESYNCS = ['list', 'clear', 'discover'] as const;
/** What a watch is asked for: to list everything again, to discard what it knows before, or to discover the kinds anew as well. */
export type Resync = (typeof RESYNCS)[number];

/** A kind of a cluster that is not watched, and why. */
export interface MissingKind {
  api_version: string;
  /** `*` of an API whose server is down: all of its kinds. */
  kind: string;
  /**
   * `partial`: it is watched in some namespaces only, for it may not be listed in all of them. `unavailable`: the server of its
   * API does not answer, and what was known before is kept.
   */
  reason: 'forbidden' | 'partial' | 'too_large' | 'failing' | 'unavailable';
  detail: string;
  /** Of `partial`: where it is watched. */
  namespaces?: string[];
}

/** Who watches a connected cluster, and how far the watch is. */
@Entity('cluster_watch')
export class ClusterWatch {
  @ForeignKey('Connection', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  connectionId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  /** The process that watches it until its lease runs out. */
  @Column('text', { nullable: true })
  worker!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  @Column('text', { default: 'starting' })
  status!: WatchStatus;

  @Column('text', { nullable: true })
  error!: string | null;

  /** The uid of the namespace kube-system: another one is another cluster behind the same address. */
  @Column('text', { nullable: true })
  clusterUid!: string | null;

  /** How many kinds are watched. */
  @Column('integer', { default: 0 })
  kinds!: number;

  @Column('jsonb', { default: [] })
  missing!: MissingKind[];

  /** When everything had been listed; null until then. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  syncedAt!: Date | null;

  /** Since when what is kept may be out of date; null while it is kept up to date, and before anything was kept. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  staleSince!: Date | null;

  @Column('text', { nullable: true })
  resync!: Resync | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
