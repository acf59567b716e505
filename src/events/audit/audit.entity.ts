import { Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** The chain of what belongs to no organization; every other chain has the id of its organization. */
export const INSTALLATION_CHAIN = '00000000-0000-0000-0000-000000000000';

export const OUTCOMES = ['allowed', 'refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const ACTOR_KINDS = ['user', 'service_account', 'system', 'database', 'anonymous'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** What a change or a refusal left behind, before it has its place in a chain. */
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
  source!: 'change' | 'event' | 'refusal';

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

  /** In whose name the statement ran: an id, `system`, or the login of a session that is not the server's. */
  @Column('text', { nullable: true })
  acting!: string | null;

  /** The request that it was done for, as the server named it to the database. */
  @Column('text', { nullable: true })
  context!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Of the first change of a transaction: under this number its events are read when it is sealed. */
  @Column('bigint', { nullable: true })
  changeSet!: string | null;
}

/** One entry of a chain. It never changes, but for what it says of persons, which can be erased. */
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

  /** Counts the entries of the chain without gaps. */
  @Column('bigint')
  sequence!: string;

  /** When it was done. */
  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column('bigint')
  transaction!: string;

  /** A kind of event, a change of a record, or the operation that was refused. */
  @Column('text')
  action!: string;

  @Column('text')
  outcome!: Outcome;

  /** The code of the refusal. */
  @Column('text', { nullable: true })
  reason!: string | null;

  /** How many refusals it stands for. */
  @Column('integer')
  count!: number;

  @Column('text')
  actorKind!: ActorKind;

  @Column('uuid', { nullable: true })
  actorId!: string | null;

  @Column('uuid', { nullable: true })
  onBehalfOf!: string | null;

  /** The session or personal access token. */
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

  /** Canonical JSON of who it was and from where; null once it was erased. */
  @Column('text', { nullable: true })
  personal!: string | null;

  @Column('text', { nullable: true })
  personalSalt!: string | null;

  @Column('text')
  personalDigest!: string;

  /** Canonical JSON of what was changed; null once it was erased. */
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

/** How far a chain has come, and up to which number its entries were removed by retention. */
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

  /** Of `last` and `hash`, by the installation (HMAC-SHA-256 in base64url); null in what earlier versions wrote, and absent before the first entry. */
  @Column('text', { nullable: true })
  signature?: string | null;
}

/** A key that signs heads of chains. */
@Entity('audit_key')
export class AuditKey {
  /** The fingerprint of the public key. */
  @PrimaryColumn('text')
  id!: string;

  /** 2 where every end of a chain was signed from the beginning, 1 in installations of earlier versions. */
  @Column('integer', { default: 1 })
  version!: number;

  /** As PEM. */
  @Column('text')
  publicKey!: string;

  /** Sealed. */
  @Column('bytea')
  privateKey!: Buffer;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}

/** The signed head of a chain at one moment. */
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

  /** Ed25519, in base64. */
  @Column('text')
  signature!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** Up to which number the entries of a chain were sent on. */
@Entity('audit_forwarding')
export class AuditForwarding {
  @PrimaryColumn('uuid')
  chain!: string;

  @Column('bigint')
  sequence!: string;
}
