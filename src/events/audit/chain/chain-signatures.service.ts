import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AuditChain } from '../audit.entity.js';
import { canonicalJson } from '../canonical-json.js';
import { AuditKeysService, type OpenedKey } from '../keys/audit-keys.service.js';

type End = Pick<AuditChain, 'chain' | 'last' | 'hash'>;

/**
 * Signs the end of a chain with every batch of entries, with a key that the database has only encrypted: whoever replaces entries, and
 * computes the hashes that follow from them, cannot sign the new end. As the system.
 */
@Injectable()
export class ChainSignatures {
  constructor(private readonly keys: AuditKeysService) {}

  /** Part of a unit of work that holds the lock of the chains. */
  async createSigner(): Promise<ChainSigner> {
    const current = await this.keys.getCurrent();
    return new ChainSigner(current, await this.keys.listOwn());
  }

  async isSound(end: AuditChain): Promise<boolean> {
    return isSound(end, await this.keys.listOwn());
  }
}

/** Signs ends with the keys of one moment. */
export class ChainSigner {
  constructor(
    private readonly current: OpenedKey,
    private readonly keys: readonly OpenedKey[],
  ) {}

  /** The end that a chain has moved to. After an end that is not sound none is signed, so that verification keeps finding it. */
  sign(from: AuditChain, to: AuditChain): AuditChain {
    return { ...to, signature: isSound(from, this.keys) ? signEnd(to, this.current.secret) : `unsigned ${to.last}` };
  }
}

/**
 * Whether this installation has signed an end. A chain without entries has nothing to sign, and earlier versions signed no ends: where all
 * keys are of those, an end without a signature is sound.
 */
function isSound({ signature, ...end }: AuditChain, keys: readonly OpenedKey[]): boolean {
  if (signature === undefined) return true;
  if (signature === null) return !keys.some(({ signsEnds }) => signsEnds);
  return keys.some(({ secret }) => signEnd(end, secret) === signature);
}

const signEnd = ({ chain, last, hash }: End, secret: Buffer): string =>
  createHmac('sha256', secret).update(canonicalJson({ chain, hash, last })).digest('base64url');
