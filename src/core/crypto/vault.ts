import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parse, stringify } from 'uuid';
import { newId } from '../database/base.entity.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { DataKey } from './data-key.entity.js';
import { decrypt, encrypt, KeyService } from './key-service.js';

const FORMAT = 1;

/**
 * Seals secrets with envelope encryption: a data key for each organization, wrapped by the key service. What is sealed
 * names its data key, so that opening needs nothing else, and is bound to its place (`context`): moved to another row it
 * does not open.
 */
@Injectable()
export class Vault {
  private readonly opened = new Map<string, Buffer>();
  private readonly current = new Map<string | null, string>();

  constructor(
    private readonly unit: UnitOfWork,
    private readonly keys: KeyService,
  ) {}

  /** Layout: format (1 byte), id of the data key (16), nonce (12), tag (16), text. */
  async seal(organizationId: string | null, text: string | Buffer, context: string): Promise<Buffer> {
    const id = await this.currentKey(organizationId);
    const key = await this.dataKey(id);
    return Buffer.concat([Buffer.from([FORMAT]), parse(id), encrypt(key, Buffer.from(text), context)]);
  }

  /** @throws Error when the key is gone, or the bytes or their context are not what was sealed */
  async open(sealed: Buffer, context: string): Promise<Buffer> {
    if (sealed[0] !== FORMAT) throw new Error('this is not a sealed value');
    const key = await this.dataKey(stringify(sealed.subarray(1, 17)));
    return decrypt(key, sealed.subarray(17), context);
  }

  private async currentKey(organizationId: string | null): Promise<string> {
    const cached = this.current.get(organizationId);
    if (cached) return cached;
    // Apart from the caller's transaction: were that undone, the cached key would not exist.
    const id = await this.unit.apart(() => this.findOrMake(organizationId));
    this.current.set(organizationId, id);
    return id;
  }

  private async findOrMake(organizationId: string | null): Promise<string> {
    const wrapped = await this.keys.wrap(randomBytes(32));
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `WITH made AS (
         INSERT INTO data_key (id, organization_id, wrapped, key_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (coalesce(organization_id, '00000000-0000-0000-0000-000000000000'::uuid)) DO NOTHING RETURNING id)
       SELECT id FROM made UNION ALL SELECT id FROM data_key WHERE organization_id IS NOT DISTINCT FROM $2 LIMIT 1`,
      [newId(), organizationId, wrapped, this.keys.currentKeyId],
    );
    // A concurrent maker's row is not in this statement's snapshot; the second look sees it.
    return rows[0]?.id ?? this.findOrMake(organizationId);
  }

  private async dataKey(id: string): Promise<Buffer> {
    const cached = this.opened.get(id);
    if (cached) return cached;
    const row = await this.unit.manager.getRepository(DataKey).findOneBy({ id });
    if (!row) throw new Error(`the data key ${id} does not exist`);
    const key = await this.keys.unwrap(row.wrapped, row.keyId);
    this.opened.set(id, key);
    return key;
  }
}
