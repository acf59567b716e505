import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Env } from '../config/env.js';

/** Wraps data keys. `EnvKeyService` reads its keys from the environment; a key management service can replace it. */
export abstract class KeyService {
  /** The id of the key that `wrap` uses now. */
  abstract readonly currentKeyId: string;
  abstract wrap(dataKey: Buffer): Promise<Buffer>;
  /** @throws MissingKey when this service does not have the key */
  abstract unwrap(wrapped: Buffer, keyId: string): Promise<Buffer>;
  /** Reports whether `unwrap` has this key. */
  abstract hasKey(keyId: string): Promise<boolean>;
}

/** A wrapping key is missing, so values encrypted with the data keys that it wraps cannot be decrypted. */
export class MissingKey extends Error {
  constructor(keyIds: string[]) {
    super(
      `Secrets in the database are encrypted with ${keyIds.length === 1 ? 'the key' : 'the keys'} ${keyIds.join(', ')}, ` +
        'which neither ENCRYPTION_KEY nor ENCRYPTION_PREVIOUS_KEYS contains. Restore that ENCRYPTION_KEY, or add it to ' +
        'ENCRYPTION_PREVIOUS_KEYS (docs/keys.md describes how keys are named).',
    );
    this.name = 'MissingKey';
  }
}

/** A value is not encrypted by this installation, or not for this context. An outage of the database or the key service is another error. */
export class DecryptionFailed extends Error {}

/** Wraps with ENCRYPTION_KEY; unwraps with it or with one of ENCRYPTION_PREVIOUS_KEYS. */
export class EnvKeyService extends KeyService {
  readonly currentKeyId: string;
  private readonly keys: Map<string, Buffer>;

  constructor(env: Pick<Env, 'ENCRYPTION_KEY' | 'ENCRYPTION_PREVIOUS_KEYS'>) {
    super();
    if (!env.ENCRYPTION_KEY) throw new Error('ENCRYPTION_KEY is not set');
    this.currentKeyId = fingerprint(env.ENCRYPTION_KEY);
    this.keys = new Map([env.ENCRYPTION_KEY, ...env.ENCRYPTION_PREVIOUS_KEYS].map((key) => [fingerprint(key), key]));
  }

  wrap(dataKey: Buffer): Promise<Buffer> {
    return Promise.resolve(encrypt(this.getKey(this.currentKeyId), dataKey, 'data-key'));
  }

  /** Rejects the promise when the key is missing, as a remote key service would. */
  unwrap(wrapped: Buffer, keyId: string): Promise<Buffer> {
    return new Promise((resolve) => resolve(decrypt(this.getKey(keyId), wrapped, 'data-key')));
  }

  hasKey(keyId: string): Promise<boolean> {
    return Promise.resolve(this.keys.has(keyId));
  }

  private getKey(id: string): Buffer {
    const key = this.keys.get(id);
    if (!key) throw new MissingKey([id]);
    return key;
  }
}

/** The first 16 hex digits of the key's SHA-256: identifies a key without revealing it. */
const fingerprint = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

/**
 * AES-256-GCM. Layout: nonce (12 bytes), tag (16), ciphertext. `context` is additional authenticated data;
 * decryption requires the same value.
 */
export function encrypt(key: Buffer, text: Buffer, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** @throws DecryptionFailed */
export function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 })
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(12, 28));
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
  } catch (cause) {
    throw new DecryptionFailed((cause as Error).message, { cause });
  }
}
