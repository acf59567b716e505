import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  sign,
  verify,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DecryptionFailed } from '../../../core/crypto/key-service.js';
import { Vault } from '../../../core/crypto/vault.service.js';
import type { AuditCheckpoint, AuditKey } from '../audit.entity.js';
import { canonicalJson } from '../../../core/json/canonical-json.js';
import { AuditKeysStore } from './audit-keys.store.js';

/** The fields that a signature covers. */
export type SignedHead = Pick<AuditCheckpoint, 'chain' | 'sequence' | 'hash' | 'keyId' | 'createdAt'>;

/** The version of a key that was created before the first chain: every end of a chain has a signature. */
const SIGNS_ENDS = 2;

/** A decrypted key of this installation. */
export interface OpenedKey {
  id: string;
  pem: string;
  publicKey: string;
  /** The HMAC key for the ends of chains. */
  secret: Buffer;
  /** Whether the installation has always signed the ends of its chains. */
  signsEnds: boolean;
}

const headText = ({ chain, sequence, hash, keyId, createdAt }: SignedHead): Buffer =>
  Buffer.from(canonicalJson({ chain, created_at: createdAt.toISOString(), hash, key_id: keyId, sequence }));

/**
 * The keys with which the installation signs heads of chains. The first one is created on demand. The vault encrypts them, so that the
 * database alone is not enough to sign, and a foreign key in the database cannot be decrypted and is not used.
 */
@Injectable()
export class AuditKeysService {
  private readonly opened = new Map<string, OpenedKey>();

  constructor(
    private readonly store: AuditKeysStore,
    private readonly vault: Vault,
  ) {}

  /** Requires an open unit of work of the system that holds the lock of the chains. */
  async sign(head: Omit<SignedHead, 'keyId'>): Promise<Pick<AuditCheckpoint, 'keyId' | 'signature'>> {
    const [key] = await this.listOrCreate();
    const signature = sign(null, headText({ ...head, keyId: key.id }), createPrivateKey(key.pem));
    return { keyId: key.id, signature: signature.toString('base64') };
  }

  /** Verifies the signature of a checkpoint. @returns the fault, or null */
  async findFault(checkpoint: AuditCheckpoint): Promise<string | null> {
    const key = await this.store.find(checkpoint.keyId);
    if (!key) return 'the key of a checkpoint is missing';
    const opened = await this.open(key);
    if (!opened) return 'the key of a checkpoint does not belong to this installation';
    const isSigned = verify(null, headText(checkpoint), opened.publicKey, Buffer.from(checkpoint.signature, 'base64'));
    return isSigned ? null : 'the signature of a checkpoint is invalid';
  }

  /**
   * Returns the keys that this installation can decrypt, newest first, and creates one when there is none. Requires an open unit of work
   * of the system that holds the lock of the chains.
   */
  async listOrCreate(): Promise<[current: OpenedKey, ...earlier: OpenedKey[]]> {
    const [current, ...earlier] = await this.listOwn();
    return [current ?? (await this.create()), ...earlier];
  }

  /** Returns the keys that this installation can decrypt, newest first. */
  async listOwn(): Promise<OpenedKey[]> {
    const keys = await Promise.all((await this.store.list()).map((key) => this.open(key)));
    return keys.filter((key) => key !== null);
  }

  /** Returns the public keys as PEM by id, oldest first. */
  async listPublic(): Promise<Map<string, string>> {
    return new Map((await this.listOwn()).reverse().map(({ id, publicKey }) => [id, publicKey]));
  }

  private async open(key: AuditKey): Promise<OpenedKey | null> {
    const known = this.opened.get(key.id);
    if (known) return known.publicKey === key.publicKey ? known : null;
    const pem = await this.vault.open(key.privateKey, sealContext(key)).catch((error: unknown) => {
      // Only then is it not a key of this installation; after an outage it is one again.
      if (error instanceof DecryptionFailed) return null;
      throw error;
    });
    const opened = pem && toOpenedKey(key, pem.toString());
    if (!opened || opened.publicKey !== key.publicKey) return null;
    this.opened.set(key.id, opened);
    return opened;
  }

  private async create(): Promise<OpenedKey> {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const publicKey = exportPublicKey(pem);
    const version = (await this.store.hasChains()) ? 1 : SIGNS_ENDS;
    const key = { id: fingerprint(publicKey), version, publicKey };
    await this.store.insert({ ...key, privateKey: await this.vault.seal(null, pem, sealContext(key)) });
    return toOpenedKey(key, pem);
  }
}

const toOpenedKey = ({ id, version }: Pick<AuditKey, 'id' | 'version'>, pem: string): OpenedKey => ({
  id,
  pem,
  publicKey: exportPublicKey(pem),
  secret: Buffer.from(hkdfSync('sha256', pem, '', 'ends of audit chains', 32)),
  signsEnds: version >= SIGNS_ENDS,
});

/** The context of the encryption. It contains the version, so that changing that in the database has no effect. `keys:rotate` uses the same. */
const sealContext = ({ id, version }: Pick<AuditKey, 'id' | 'version'>): string =>
  version === 1 ? `audit key ${id}` : `audit key ${version} ${id}`;

const exportPublicKey = (pem: string): string =>
  createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString();

/** SHA-256 of the public key as DER. */
const fingerprint = (publicKey: string): string =>
  createHash('sha256')
    .update(createPublicKey(publicKey).export({ type: 'spki', format: 'der' }))
    .digest('hex');
