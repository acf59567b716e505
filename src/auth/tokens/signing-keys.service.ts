import { createHash, createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { unescapeLineBreaks } from '../../core/config/env-values.js';

/** A key for verifying tokens, and its algorithm. */
export interface VerificationKey {
  kid: string;
  algorithm: 'HS256' | 'ES256';
  key: KeyObject;
}

/**
 * The keys of this server's own tokens: HS256 with JWT_SECRET, or ES256 with JWT_PRIVATE_KEY; JWT_PREVIOUS_KEYS only verify. They
 * are key objects, because verification with strings takes fifty times as long.
 */
@Injectable()
export class SigningKeysService {
  readonly current: VerificationKey & { signer: KeyObject };
  private readonly byId: Map<string, VerificationKey>;

  constructor(env: Env) {
    const signer = env.JWT_PRIVATE_KEY
      ? createPrivateKey(unescapeLineBreaks(env.JWT_PRIVATE_KEY))
      : createSecretKey(env.JWT_SECRET ?? '', 'utf8');
    this.current = { ...toVerificationKey(signer), signer };
    const all = [this.current, ...env.JWT_PREVIOUS_KEYS.map((text) => toVerificationKey(parseKey(text)))];
    this.byId = new Map(all.map((key) => [key.kid, key]));
  }

  /** The key with an id, unless the token names another algorithm. */
  find(kid: string | undefined, algorithm: string): VerificationKey | undefined {
    const key = this.byId.get(kid ?? '');
    return key?.algorithm === algorithm ? key : undefined;
  }
}

function parseKey(text: string): KeyObject {
  const pem = unescapeLineBreaks(text);
  if (pem.includes('PRIVATE KEY')) return createPrivateKey(pem);
  return pem.includes('PUBLIC KEY') ? createPublicKey(pem) : createSecretKey(pem, 'utf8');
}

function toVerificationKey(key: KeyObject): VerificationKey {
  const verifier = key.type === 'private' ? createPublicKey(key) : key;
  const material = verifier.type === 'secret' ? verifier.export() : verifier.export({ type: 'spki', format: 'der' });
  const kid = createHash('sha256').update('armature-kid').update(material).digest('base64url').slice(0, 16);
  return { kid, algorithm: verifier.type === 'secret' ? 'HS256' : 'ES256', key: verifier };
}
