import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AuditChain } from '../audit.entity.js';
import { canonicalJson } from '../../../core/json/canonical-json.js';
import { AuditKeysService, type OpenedKey } from '../keys/audit-keys.service.js';

type End = Pick<AuditChain, 'chain' | 'last' | 'hash'>;

/**
 * Signs the end of a chain after every batch of entries. The database contains the key only encrypted, so that someone who replaces
 * entries and recomputes their hashes cannot sign the new end. Runs as the system.
 */
@Injectable()
export class ChainSignatures {
  constructor(private readonly keys: AuditKeysService) {}

  /** Requires an open unit of work that holds the lock of the chains. */
  async createSigner(): Promise<ChainSigner> {
    return new ChainSigner(await this.keys.listOrCreate());
  }

  async isValidEnd(end: AuditChain): Promise<boolean> {
    return isValidEnd(end, await this.keys.listOwn());
  }
}

/** Signs ends of chains with the keys that it was created with. */
export class ChainSigner {
  constructor(private readonly keys: readonly [current: OpenedKey, ...earlier: OpenedKey[]]) {}

  /** Signs the new end of a chain. After an end with an invalid signature it signs none, so that verification keeps failing. */
  sign(from: AuditChain, to: AuditChain): AuditChain {
    const [current] = this.keys;
    return { ...to, signature: isValidEnd(from, this.keys) ? signEnd(to, current.secret) : `unsigned ${to.last}` };
  }
}

/**
 * Reports whether this installation signed an end. Empty chains have no signature. Earlier versions signed no ends: when all keys are
 * from such versions, a null signature is valid.
 */
function isValidEnd({ signature, ...end }: AuditChain, keys: readonly OpenedKey[]): boolean {
  if (signature === undefined) return true;
  if (signature === null) return !keys.some(({ signsEnds }) => signsEnds);
  return keys.some(({ secret }) => signEnd(end, secret) === signature);
}

const signEnd = ({ chain, last, hash }: End, secret: Buffer): string =>
  createHmac('sha256', secret).update(canonicalJson({ chain, hash, last })).digest('base64url');
