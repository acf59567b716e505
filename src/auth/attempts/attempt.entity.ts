import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A counter of recent failed attempts. */
@Entity('failed_attempt')
@Index('failed_attempt_until', ['until'])
export class FailedAttempt {
  /** A keyed hash of what the attempts count against: an account, a network, or both. */
  @PrimaryColumn('bytea')
  key!: Buffer;

  @Column('integer')
  failures!: number;

  /** When the counter is reset. */
  @Column('timestamptz')
  until!: Date;
}

/** A network from which an account has signed in. */
@Entity('known_network')
@Index('known_network_seen', ['seenAt'])
export class KnownNetwork {
  /** A keyed hash of the account and the network. */
  @PrimaryColumn('bytea')
  pair!: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  seenAt!: Date;
}
