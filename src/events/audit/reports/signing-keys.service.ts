import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Vault } from '../../../core/crypto/vault.service.js';
import type { AuditCheckpoint, AuditKey } from '../audit.entity.js';
import { canonicalJson } from '../chain/canonical-json.js';
import { CheckpointsStore } from './checkpoints.store.js';

/** What a signature covers. */
export type SignedHead = Pick<AuditCheckpoint, 'chain' | 'sequence' | 'hash' | 'keyId' | 'createdAt'>;

const headText = ({ chain, sequence, hash, keyId, createdAt }: SignedHead): Buffer =>
  Buffer.from(canonicalJson({ chain, created_at: createdAt.toISOString(), hash, key_id: keyId, sequence }));

/**
 * The key of the installation, with which it signs heads of chains. It is made when first needed and kept sealed: who has the
 * database alone cannot sign.
 */
@Injectable()
export class SigningKeysService {
  private current?: AuditKey;

  constructor(
    private readonly store: CheckpointsStore,
    private readonly vault: Vault,
  ) {}

  /** Part of a unit of work of the system that holds the lock of the chains. */
  async sign(head: Omit<SignedHead, 'keyId'>): Promise<Pick<AuditCheckpoint, 'keyId' | 'signature'>> {
    const key = await this.getCurrent();
    const pem = await this.vault.open(key.privateKey, sealContext(key.id));
    const signature = sign(null, headText({ ...head, keyId: key.id }), createPrivateKey(pem.toString()));
    return { keyId: key.id, signature: signature.toString('base64') };
  }

  /**
   * Why a signature does not hold; null when it does. That the server can open the private key of it proves that the key is one of
   * its own: a key that another party put into the database is not one.
   */
  async findFault(checkpoint: AuditCheckpoint): Promise<string | null> {
    const key = await this.store.findKey(checkpoint.keyId);
    if (!key) return 'the key of a checkpoint is missing';
    const publicKey = await this.openPublicKey(key).catch(() => null);
    if (!publicKey || publicKey !== key.publicKey) return 'the key of a checkpoint is none of this installation';
    const isSigned = verify(null, headText(checkpoint), publicKey, Buffer.from(checkpoint.signature, 'base64'));
    return isSigned ? null : 'the signature of a checkpoint does not hold';
  }

  private async openPublicKey(key: AuditKey): Promise<string> {
    const pem = await this.vault.open(key.privateKey, sealContext(key.id));
    return exportPublicKey(pem.toString());
  }

  private async getCurrent(): Promise<AuditKey> {
    this.current ??= (await this.store.findCurrentKey()) ?? (await this.create());
    return this.current;
  }

  private async create(): Promise<AuditKey> {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const publicKey = exportPublicKey(pem);
    const id = fingerprint(publicKey);
    const privateKey = await this.vault.seal(null, pem, sealContext(id));
    return this.store.insertKey({ id, publicKey, privateKey });
  }
}

const sealContext = (id: string): string => `audit key ${id}`;

const exportPublicKey = (pem: string): string =>
  createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString();

/** SHA-256 of the key as DER. */
const fingerprint = (publicKey: string): string =>
  createHash('sha256')
    .update(createPublicKey(publicKey).export({ type: 'spki', format: 'der' }))
    .digest('hex');
