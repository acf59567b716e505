import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A call with an idempotency key, and how it was answered. */
@Entity('idempotency_key')
@Index('idempotency_key_age', ['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn('text')
  caller!: string;

  @PrimaryColumn('text')
  route!: string;

  @PrimaryColumn('text')
  key!: string;

  /** Of the token and the body: another call with the same key is refused. */
  @Column('text')
  digest!: string;

  /** The answer, sealed; null while the call runs. */
  @Column('bytea', { nullable: true })
  answer!: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** The request that works under the key; null of earlier versions. */
  @Column('uuid', { nullable: true })
  claim!: string | null;

  /** Renewed while the request runs: when it is over, its process has died or was cut off. */
  @Column('timestamptz', { default: () => "(now() + '00:20:00')" })
  leaseUntil!: Date;

  /** Something that the request did is committed. */
  @Column('boolean', { default: false })
  hasWritten!: boolean;
}
