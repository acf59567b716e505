import { PaginatedView } from '../../core/listing/page.js';
import {
  FlagField,
  IdField,
  IntField,
  MapField,
  RecordField,
  MapsField,
  TextField,
  TimeField,
  WordField,
} from '../../core/schema/view-fields.js';
import {
  ACTOR_KINDS,
  type ActorKind,
  type AuditCheckpoint,
  type AuditEntry,
  INSTALLATION_CHAIN,
  type Outcome,
  OUTCOMES,
} from './audit.entity.js';

const REST = { rest: true as const };

interface PersonalPart {
  actor?: string;
  on_behalf_of?: string;
  system_actor?: string;
  address?: string;
  user_agent?: string;
}

interface DetailsPart {
  before?: object | null;
  after?: object | null;
  changes?: object[];
  metadata?: object;
  event_id?: string;
  workspace_id?: string;
  operation?: string;
}

/** For whom something was done. */
export class AuditPrincipalView {
  @TextField({ ...REST, nullable: true })
  id!: string | null;

  @TextField({ ...REST, nullable: true, description: 'Null once it was erased.' })
  name!: string | null;
}

/** Who did something. */
export class AuditActorView extends AuditPrincipalView {
  @WordField(ACTOR_KINDS, REST)
  kind!: ActorKind;
}

/** What something was done to. */
export class AuditResourceView {
  @TextField({ ...REST, nullable: true, description: 'The kind of record.' })
  type!: string | null;

  @TextField({ ...REST, nullable: true })
  id!: string | null;
}

/** A change of a record that has no entry of its own. */
class AuditedChangeView {
  @TextField(REST)
  action!: string;

  @RecordField(() => AuditResourceView, { ...REST, description: 'The record.' })
  resource!: AuditResourceView;

  @MapField({ ...REST, nullable: true, description: 'Its fields that were changed, as they were.' })
  before!: object | null;

  @MapField({ ...REST, nullable: true, description: 'The same fields as they became.' })
  after!: object | null;
}

/** One entry of the audit. */
export class AuditEntryView {
  @IdField(REST)
  id!: string;

  @TextField({ ...REST, description: 'Its number in the chain, in digits, without gaps.' })
  sequence!: string;

  @IdField({ ...REST, nullable: true })
  organization_id!: string | null;

  @TimeField({ ...REST, description: 'When it was done.' })
  created_at!: Date;

  @TextField({ ...REST, description: 'The kind of event or change, or the operation that was called.' })
  action!: string;

  @WordField(OUTCOMES, REST)
  outcome!: Outcome;

  @TextField({ ...REST, nullable: true, description: 'The code of the refusal.' })
  reason!: string | null;

  @IntField({
    ...REST,
    description:
      'How many calls the entry counts; repeated refusals, and repeated calls that change nothing, share an entry.',
  })
  count!: number;

  @MapField({ ...REST, of: () => AuditActorView, description: 'Who.' })
  actor!: object;

  @MapField({ ...REST, of: () => AuditPrincipalView, nullable: true, description: 'On whose behalf.' })
  on_behalf_of!: object | null;

  @IdField({ ...REST, nullable: true, description: 'The session or personal access token.' })
  token_id!: string | null;

  @MapField({ ...REST, of: () => AuditResourceView, description: 'The record.' })
  resource!: object;

  @MapField({ ...REST, nullable: true, description: 'Fields that were changed, as they were; secrets are redacted.' })
  before!: object | null;

  @MapField({ ...REST, nullable: true, description: 'The same fields as they became.' })
  after!: object | null;

  @MapsField({ ...REST, of: () => AuditedChangeView, description: 'Changes of other records that came with it.' })
  changes!: object[];

  @MapField({ ...REST, nullable: true, description: 'The other members of the event.' })
  metadata!: object | null;

  @IdField({ ...REST, nullable: true })
  event_id!: string | null;

  @IdField({ ...REST, nullable: true })
  workspace_id!: string | null;

  @TextField({ ...REST, nullable: true, description: 'The operation that was called.' })
  operation!: string | null;

  @WordField(['rest', 'graphql', 'socket', 'job', 'command', 'server', 'database'], REST)
  via!: string;

  @TextField({ ...REST, nullable: true, description: 'From where.' })
  address!: string | null;

  @TextField({ ...REST, nullable: true })
  user_agent!: string | null;

  @TextField({ ...REST, nullable: true, description: 'The request, as X-Request-Id and the log have it.' })
  request_id!: string | null;

  @FlagField({ ...REST, description: 'Whether personal data of it was erased.' })
  erased!: boolean;

  @TextField({ ...REST, description: 'The hash of the entry before it.' })
  previous_hash!: string;

  @TextField(REST)
  hash!: string;

  static fromEntity(this: void, entry: AuditEntry): AuditEntryView {
    const personal = parse<PersonalPart>(entry.personal);
    const details = parse<DetailsPart>(entry.details);
    return Object.assign(new AuditEntryView(), {
      id: entry.id,
      sequence: entry.sequence,
      organization_id: entry.chain === INSTALLATION_CHAIN ? null : entry.chain,
      created_at: entry.createdAt,
      action: entry.action,
      outcome: entry.outcome,
      reason: entry.reason,
      count: entry.count,
      actor: { kind: entry.actorKind, id: entry.actorId, name: personal.actor ?? personal.system_actor ?? null },
      on_behalf_of: entry.onBehalfOf ? { id: entry.onBehalfOf, name: personal.on_behalf_of ?? null } : null,
      token_id: entry.tokenId,
      resource: { type: entry.resourceType, id: entry.resourceId },
      before: details.before ?? null,
      after: details.after ?? null,
      changes: details.changes ?? [],
      metadata: details.metadata ?? null,
      event_id: details.event_id ?? null,
      workspace_id: details.workspace_id ?? null,
      operation: details.operation ?? null,
      via: entry.via,
      address: personal.address ?? null,
      user_agent: personal.user_agent ?? null,
      request_id: entry.requestId,
      erased: entry.personal === null || entry.details === null,
      previous_hash: entry.previousHash,
      hash: entry.hash,
    });
  }
}

export const AuditEntryPage = PaginatedView(AuditEntryView, 'entries', 'AuditEntryPage');

/** An entry by its number and its hash. */
class AuditHeadView {
  @TextField(REST)
  sequence!: string;

  @TextField(REST)
  hash!: string;
}

/** What is wrong with a chain. */
class AuditFaultView {
  @TextField({ ...REST, description: 'The number of the entry.' })
  sequence!: string;

  @IdField({ ...REST, nullable: true, description: 'The id of the entry; null for one that is missing.' })
  id!: string | null;

  @TextField(REST)
  detail!: string;
}

/** The result of a verification. */
export class AuditVerificationView {
  @FlagField({ ...REST, description: 'Whether every entry is as it was sealed, and none is missing.' })
  valid!: boolean;

  @IntField({ ...REST, description: 'Entries that were looked at.' })
  entries!: number;

  @IntField({ ...REST, description: 'Those of them of which personal data was erased.' })
  erased!: number;

  @TextField({ ...REST, description: 'Up to which number entries were removed by retention; 0 when none were.' })
  removed_through!: string;

  @MapField({ ...REST, of: () => AuditHeadView, description: 'The last entry.' })
  head!: object;

  @MapField({ ...REST, of: () => AuditFaultView, optional: true, description: 'The first fault, if there is one.' })
  first_invalid?: object;
}

/** A signed head of a chain. */
export class AuditCheckpointView {
  @IdField(REST)
  id!: string;

  @IdField({ ...REST, description: 'The chain: the id of the organization, or the nil UUID of the installation.' })
  chain!: string;

  @TextField({ ...REST, description: 'The last entry that it covers.' })
  sequence!: string;

  @TextField({ ...REST, description: 'The hash of that entry.' })
  hash!: string;

  @TimeField(REST)
  created_at!: Date;

  @TextField({ ...REST, description: 'The fingerprint of the key.' })
  key_id!: string;

  @TextField({
    ...REST,
    description: 'Ed25519 over the canonical JSON of chain, created_at, hash, key_id and sequence; base64.',
  })
  signature!: string;

  @TextField({ ...REST, description: 'The key that verifies it, as PEM.' })
  public_key!: string;

  static fromCheckpoint(checkpoint: AuditCheckpoint, publicKey: string): AuditCheckpointView {
    return Object.assign(new AuditCheckpointView(), {
      id: checkpoint.id,
      chain: checkpoint.chain,
      sequence: checkpoint.sequence,
      hash: checkpoint.hash,
      created_at: checkpoint.createdAt,
      key_id: checkpoint.keyId,
      signature: checkpoint.signature,
      public_key: publicKey,
    });
  }
}

export const AuditCheckpointPage = PaginatedView(AuditCheckpointView, 'checkpoints', 'AuditCheckpointPage');

/** The result of an erasure. */
export class ErasureView {
  @IdField(REST)
  user_id!: string;

  @IntField({ ...REST, description: 'Entries of which personal data was erased.' })
  entries!: number;
}

const parse = <T extends object>(text: string | null): Partial<T> => (text ? (JSON.parse(text) as T) : {});
