import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Env } from '../config/env.js';

/** Wraps the data keys. The one below holds its keys in the environment; a key service of a cloud can stand in its place. */
export abstract class KeyService {
  /** Names the key that `wrap` uses now. */
  abstract readonly currentKeyId: string;
  abstract wrap(dataKey: Buffer): Promise<Buffer>;
  /** @throws Error when no key of that name is at hand */
  abstract unwrap(wrapped: Buffer, keyId: string): Promise<Buffer>;
}

/** Wraps with ENCRYPTION_KEY, and opens with it or one of ENCRYPTION_PREVIOUS_KEYS. */
export class EnvKeyService extends KeyService {
  readonly currentKeyId: string;
  private readonly keys: Map<string, Buffer>;

  constructor(env: Env) {
    super();
    if (!env.ENCRYPTION_KEY) throw new Error('ENCRYPTION_KEY is not set');
    this.currentKeyId = nameOf(env.ENCRYPTION_KEY);
    this.keys = new Map([env.ENCRYPTION_KEY, ...env.ENCRYPTION_PREVIOUS_KEYS].map((key) => [nameOf(key), key]));
  }

  wrap(dataKey: Buffer): Promise<Buffer> {
    return Promise.resolve(encrypt(this.key(this.currentKeyId), dataKey, 'data-key'));
  }

  unwrap(wrapped: Buffer, keyId: string): Promise<Buffer> {
    return Promise.resolve(decrypt(this.key(keyId), wrapped, 'data-key'));
  }

  private key(id: string): Buffer {
    const key = this.keys.get(id);
    if (!key) throw new Error(`the encryption key ${id} is neither ENCRYPTION_KEY nor one of ENCRYPTION_PREVIOUS_KEYS`);
    return key;
  }
}

const nameOf = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

/** AES-256-GCM: 12 bytes nonce, 16 bytes tag, then the text; `context` is authenticated and must be the same to open. */
export function encrypt(key: Buffer, text: Buffer, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

export function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
}
