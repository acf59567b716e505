import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A call with an idempotency key, and its response. */
@Entity('idempotency_key')
@Index('idempotency_key_age', ['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn('text')
  caller!: string;

  @PrimaryColumn('text')
  route!: string;

  @PrimaryColumn('text')
  key!: string;

  /** Digest of the token and the body: a different call with the same key is rejected. */
  @Column('text')
  digest!: string;

  /** The encrypted response; null while the call runs. */
  @Column('bytea', { nullable: true })
  answer!: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** The request that holds the key; null in rows of earlier versions. */
  @Column('uuid', { nullable: true })
  claim!: string | null;

  /** Renewed while the request runs; after it expires, the process has died or is disconnected. */
  @Column('timestamptz', { default: () => "(now() + '00:20:00')" })
  leaseUntil!: Date;

  /** Whether the request has committed a change. */
  @Column('boolean', { default: false })
  hasWritten!: boolean;
}
