import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Counts recent failed attempts. */
@Entity('failed_attempt')
@Index('failed_attempt_until', ['until'])
export class FailedAttempt {
  /** A keyed hash of what was attempted. */
  @PrimaryColumn('bytea')
  key!: Buffer;

  @Column('integer')
  failures!: number;

  /** When the count restarts. */
  @Column('timestamptz')
  until!: Date;
}

/** Records that an account has signed in from a network. */
@Entity('known_network')
@Index('known_network_seen', ['seenAt'])
export class KnownNetwork {
  /** A keyed hash of the account and the network. */
  @PrimaryColumn('bytea')
  pair!: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  seenAt!: Date;
}
