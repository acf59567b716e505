import { hash, randomBytes } from 'node:crypto';
import type { AuditEntry } from '../audit.entity.js';
import { canonicalJson } from '../canonical-json.js';

/** What stands before the first entry of a chain. */
export const GENESIS = '0'.repeat(64);

export const sha256 = (text: string): string => hash('sha256', text);

const SALT_BYTES = 16;
/** Salts that are drawn with one call: the call costs more than the bytes. */
const SALTS_AT_ONCE = 256;
let drawn = Buffer.alloc(0);

/** What an entry says that can be erased, with the salt that keeps its digest from being guessed. */
export interface SaltedText {
  text: string;
  salt: string;
  digest: string;
}

export function saltText(value: object): SaltedText {
  const text = canonicalJson(value);
  const salt = drawSalt();
  return { text, salt, digest: digestText(salt, text) };
}

/** Each is given out once. */
function drawSalt(): string {
  if (drawn.length === 0) drawn = randomBytes(SALT_BYTES * SALTS_AT_ONCE);
  const salt = drawn.toString('hex', 0, SALT_BYTES);
  drawn = drawn.subarray(SALT_BYTES);
  return salt;
}

export const digestText = (salt: string, text: string): string => sha256(salt + text);

type HashedFields = Omit<AuditEntry, 'hash' | 'personal' | 'personalSalt' | 'details' | 'detailsSalt' | 'createdAt'> & {
  createdAt: Date;
};

/** What the hash of an entry is made of, under the names that the export has. `scripts/verify-audit.mjs` makes the same. */
export const hashedMembers = (entry: HashedFields): Record<string, unknown> => ({
  action: entry.action,
  actor_id: entry.actorId,
  actor_kind: entry.actorKind,
  chain: entry.chain,
  count: entry.count,
  created_at: entry.createdAt.toISOString(),
  details_digest: entry.detailsDigest,
  id: entry.id,
  on_behalf_of: entry.onBehalfOf,
  outcome: entry.outcome,
  personal_digest: entry.personalDigest,
  previous_hash: entry.previousHash,
  reason: entry.reason,
  request_id: entry.requestId,
  resource_id: entry.resourceId,
  resource_type: entry.resourceType,
  sequence: entry.sequence,
  token_id: entry.tokenId,
  transaction: entry.transaction,
  via: entry.via,
});

export const hashEntry = (entry: HashedFields): string => sha256(canonicalJson(hashedMembers(entry)));

/** What is wrong with an entry by itself; null when nothing is. */
export function findEntryFault(entry: AuditEntry): string | null {
  if (!isDigestOf(entry.personalDigest, entry.personalSalt, entry.personal))
    return 'what it says of persons is not what it said when it was sealed';
  if (!isDigestOf(entry.detailsDigest, entry.detailsSalt, entry.details))
    return 'its details are not what they were when it was sealed';
  return hashEntry(entry) === entry.hash ? null : 'its fields are not what they were when it was sealed';
}

const isDigestOf = (digest: string, salt: string | null, text: string | null): boolean =>
  salt === null || text === null ? salt === text : digestText(salt, text) === digest;
