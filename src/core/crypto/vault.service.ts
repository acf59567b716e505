import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { parse, stringify } from 'uuid';
import { UnitOfWork } from '../database/unit-of-work.js';
import { DataKeysStore } from './data-keys.store.js';
import { decrypt, DecryptionFailed, encrypt, KeyService, MissingKey } from './key-service.js';

const FORMAT = 1;

/** How long a server caches which data key is current. */
export const CURRENT_KEY_TTL_MS = 30_000;

interface OpenedKey {
  key: Buffer;
  organizationId: string | null;
}

/**
 * Encrypts secrets by envelope encryption: one data key per organization, wrapped by the key service. Each encrypted
 * value contains the id of its data key and is bound to a `context`, such as its row: copied to another row, it
 * cannot be decrypted.
 */
@Injectable()
export class Vault implements OnModuleInit {
  private readonly opened = new Map<string, OpenedKey>();
  private readonly current = new Map<string | null, { id: string; until: number }>();
  private readonly dataKeys: DataKeysStore;

  constructor(
    private readonly unit: UnitOfWork,
    private readonly keys: KeyService,
  ) {
    this.dataKeys = new DataKeysStore(unit);
  }

  /** Refuses to start when stored secrets cannot be decrypted. @throws MissingKey naming each key */
  async onModuleInit(): Promise<void> {
    const missing: string[] = [];
    for (const id of await this.dataKeys.listWrappingKeyIds()) if (!(await this.keys.hasKey(id))) missing.push(id);
    if (missing.length > 0) throw new MissingKey(missing);
  }

  /** Layout: format (1 byte), id of the data key (16), nonce (12), tag (16), ciphertext. */
  async seal(organizationId: string | null, text: string | Buffer, context: string): Promise<Buffer> {
    const id = await this.getCurrentKeyId(organizationId);
    const { key } = await this.getDataKey(id);
    return Buffer.concat([Buffer.from([FORMAT]), parse(id), encrypt(key, Buffer.from(text), context)]);
  }

  /** @throws DecryptionFailed when the data key does not exist, or the bytes or the context differ from what was sealed */
  async open(sealed: Buffer, context: string): Promise<Buffer> {
    const { key } = await this.getDataKey(parseDataKeyId(sealed));
    return decrypt(key, sealed.subarray(17), context);
  }

  /** Re-encrypts a value with the current data key of its organization. */
  async reseal(sealed: Buffer, context: string): Promise<Buffer> {
    const { organizationId } = await this.getDataKey(parseDataKeyId(sealed));
    return this.seal(organizationId, await this.open(sealed, context), context);
  }

  /**
   * Reads or creates the key in the caller's transaction: callers that each take a second connection while they
   * hold the first could exhaust the pool.
   */
  private async getCurrentKeyId(organizationId: string | null): Promise<string> {
    const cached = this.current.get(organizationId);
    if (cached && cached.until > performance.now()) return cached.id;
    const id = (await this.dataKeys.findCurrentId(organizationId)) ?? (await this.createDataKey(organizationId));
    const keep = () => void this.current.set(organizationId, { id, until: performance.now() + CURRENT_KEY_TTL_MS });
    // A key created in the open transaction is not cached before the commit: after a rollback it does not exist.
    if (this.unit.isOpen) this.unit.afterCommit(keep);
    else keep();
    return id;
  }

  private async createDataKey(organizationId: string | null): Promise<string> {
    const wrapped = await this.keys.wrap(randomBytes(32));
    const id = await this.dataKeys.insertUnlessPresent(organizationId, { wrapped, keyId: this.keys.currentKeyId });
    return id ?? (await this.dataKeys.findCurrentId(organizationId)) ?? this.createDataKey(organizationId);
  }

  private async getDataKey(id: string): Promise<OpenedKey> {
    const cached = this.opened.get(id);
    if (cached) return cached;
    const row = await this.dataKeys.find(id);
    if (!row) throw new DecryptionFailed(`the data key ${id} does not exist`);
    const opened = { key: await this.keys.unwrap(row.wrapped, row.keyId), organizationId: row.organizationId };
    this.opened.set(id, opened);
    return opened;
  }
}

function parseDataKeyId(sealed: Buffer): string {
  if (sealed[0] !== FORMAT || sealed.length < 45) throw new DecryptionFailed('this is not a sealed value');
  return stringify(sealed.subarray(1, 17));
}
