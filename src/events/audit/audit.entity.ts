import { Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** The chain of records outside of organizations; every other chain has the id of its organization. */
export const INSTALLATION_CHAIN = '00000000-0000-0000-0000-000000000000';

export const OUTCOMES = ['allowed', 'refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const ACTOR_KINDS = ['user', 'service_account', 'system', 'database', 'anonymous'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** A change, event, refusal, or call without a change, that is not yet appended to a chain. Triggers write the changes. */
@Entity('audit_pending')
export class PendingAuditRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  position!: string;

  /** The transaction that wrote it. */
  @Column('bigint')
  transaction!: string;

  @Column('uuid')
  chain!: string;

  @Column('text')
  source!: 'change' | 'event' | 'refusal' | 'call';

  @Column('text')
  action!: string;

  @Column('text')
  resourceType!: string;

  @Column('text', { nullable: true })
  resourceId!: string | null;

  @Column('jsonb', { nullable: true })
  before!: Record<string, unknown> | null;

  @Column('jsonb', { nullable: true })
  after!: Record<string, unknown> | null;

  /** The actor of the statement: a user's id, `system`, or the database login of a session that is not the server's. */
  @Column('text', { nullable: true })
  acting!: string | null;

  /** The signed description of the request, as the server sent it to the database. */
  @Column('text', { nullable: true })
  context!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Set on the first change of a transaction: the `change_set` of the transaction's events. */
  @Column('bigint', { nullable: true })
  changeSet!: string | null;
}

/** One entry of a chain. Immutable, except that its personal data can be erased. */
@Entity('audit_entry')
@Index('audit_entry_sequence', ['chain', 'sequence'], { unique: true })
@Index('audit_entry_actor', ['chain', 'actorId', 'sequence'])
@Index('audit_entry_requester', ['chain', 'onBehalfOf', 'sequence'], { where: 'on_behalf_of IS NOT NULL' })
@Index('audit_entry_resource', ['chain', 'resourceId', 'sequence'])
@Index('audit_entry_created', ['chain', 'createdAt', 'id'])
export class AuditEntry {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  chain!: string;

  /** The number of the entry in its chain, without gaps. */
  @Column('bigint')
  sequence!: string;

  /** The time of the change or refusal. */
  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column('bigint')
  transaction!: string;

  /** The kind of an event, a change of a record, or the refused operation. */
  @Column('text')
  action!: string;

  @Column('text')
  outcome!: Outcome;

  /** The error code of a refusal. */
  @Column('text', { nullable: true })
  reason!: string | null;

  /** The number of refusals that the entry combines. */
  @Column('integer')
  count!: number;

  @Column('text')
  actorKind!: ActorKind;

  @Column('uuid', { nullable: true })
  actorId!: string | null;

  @Column('uuid', { nullable: true })
  onBehalfOf!: string | null;

  /** The id of the session or personal access token. */
  @Column('uuid', { nullable: true })
  tokenId!: string | null;

  @Column('text')
  via!: string;

  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('text')
  resourceType!: string;

  @Column('text', { nullable: true })
  resourceId!: string | null;

  /** Canonical JSON of the actor's name and address; null after erasure. */
  @Column('text', { nullable: true })
  personal!: string | null;

  @Column('text', { nullable: true })
  personalSalt!: string | null;

  @Column('text')
  personalDigest!: string;

  /** Canonical JSON of the changed fields; null after erasure. */
  @Column('text', { nullable: true })
  details!: string | null;

  @Column('text', { nullable: true })
  detailsSalt!: string | null;

  @Column('text')
  detailsDigest!: string;

  @Column('text')
  previousHash!: string;

  @Column('text')
  hash!: string;
}

/** The last number and hash of a chain, and the number up to which retention removed its entries. */
@Entity('audit_chain')
export class AuditChain {
  @PrimaryColumn('uuid')
  chain!: string;

  @Column('bigint')
  last!: string;

  @Column('text')
  hash!: string;

  @Column('bigint', { default: 0 })
  removed!: string;

  /** HMAC-SHA-256 of `last` and `hash` in base64url; null in chains of earlier versions, undefined before the first entry. */
  @Column('text', { nullable: true })
  signature?: string | null;
}

/** A key that signs heads of chains. */
@Entity('audit_key')
export class AuditKey {
  /** The fingerprint of the public key. */
  @PrimaryColumn('text')
  id!: string;

  /** 2 if the installation has always signed the ends of its chains, 1 if it was created by an earlier version. */
  @Column('integer', { default: 1 })
  version!: number;

  /** PEM. */
  @Column('text')
  publicKey!: string;

  /** PEM, encrypted by the vault. */
  @Column('bytea')
  privateKey!: Buffer;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}

/** A signed head of a chain. */
@Entity('audit_checkpoint')
@Index('audit_checkpoint_sequence', ['chain', 'sequence'], { unique: true })
export class AuditCheckpoint {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  chain!: string;

  @Column('bigint')
  sequence!: string;

  @Column('text')
  hash!: string;

  @ForeignKey('AuditKey')
  @Column('text')
  keyId!: string;

  /** Ed25519 in base64. */
  @Column('text')
  signature!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** The number up to which the entries of a chain were forwarded. */
@Entity('audit_forwarding')
export class AuditForwarding {
  @PrimaryColumn('uuid')
  chain!: string;

  @Column('bigint')
  sequence!: string;
}
