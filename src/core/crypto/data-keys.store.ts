import { newId } from '../database/base.entity.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { DataKey } from './data-key.entity.js';

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** A new data key as it is stored. */
export interface WrappedKey {
  wrapped: Buffer;
  keyId: string;
}

/**
 * The data keys: for each organization and for the installation, one current key and its retired predecessors. Only
 * the system reads and writes them: what a key seals is for other rights to decide.
 */
export class DataKeysStore {
  constructor(private readonly unit: UnitOfWork) {}

  find(id: string): Promise<DataKey | null> {
    return this.asSystem(() => this.unit.manager.getRepository(DataKey).findOneBy({ id }));
  }

  /** The current data key of an organization. */
  async findCurrentId(organizationId: string | null): Promise<string | undefined> {
    const [row] = await this.asSystem(() =>
      this.unit.manager.query<{ id: string }[]>(
        `SELECT id FROM data_key WHERE coalesce(organization_id, '${NIL_UUID}') = coalesce($1, '${NIL_UUID}'::uuid) AND retired_at IS NULL`,
        [organizationId],
      ),
    );
    return row?.id;
  }

  /** Returns the new id, or undefined when the organization has a current key. Waits for a concurrent insert. */
  async insertUnlessPresent(
    organizationId: string | null,
    { wrapped, keyId }: WrappedKey,
  ): Promise<string | undefined> {
    const [row] = await this.asSystem(() =>
      this.unit.manager.query<{ id: string }[]>(
        `INSERT INTO data_key (id, organization_id, wrapped, key_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (coalesce(organization_id, '${NIL_UUID}'::uuid)) WHERE retired_at IS NULL DO NOTHING RETURNING id`,
        [newId(), organizationId, wrapped, keyId],
      ),
    );
    return row?.id;
  }

  /** The ids of all keys that wrap data keys. */
  async listWrappingKeyIds(): Promise<string[]> {
    const rows = await this.unit.manager.query<{ key_id: string }[]>(
      'SELECT DISTINCT key_id FROM data_key ORDER BY key_id',
    );
    return rows.map((row) => row.key_id);
  }

  /** A batch of ids of data keys that another key wraps. */
  async findNotWrappedWith(keyId: string): Promise<string[]> {
    const rows = await this.unit.manager.query<{ id: string }[]>(
      'SELECT id FROM data_key WHERE key_id <> $1 ORDER BY id LIMIT 100',
      [keyId],
    );
    return rows.map((row) => row.id);
  }

  /** The data key, locked until the end of the unit of work. */
  findForUpdate(id: string): Promise<DataKey | null> {
    return this.unit.manager.getRepository(DataKey).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async updateWrapped(id: string, { wrapped, keyId }: WrappedKey): Promise<void> {
    await this.unit.manager.getRepository(DataKey).update({ id }, { wrapped, keyId });
  }

  /** The retired data keys, with the time of retirement. */
  listRetired(): Promise<DataKey[]> {
    return this.unit.manager
      .getRepository(DataKey)
      .createQueryBuilder('key')
      .where('key.retired_at IS NOT NULL')
      .orderBy('key.id')
      .getMany();
  }

  /** Retires every current data key. @returns the ids of their organizations */
  async retireAll(): Promise<(string | null)[]> {
    const [rows] = await this.unit.manager.query<[{ organization_id: string | null }[], number]>(
      'UPDATE data_key SET retired_at = now() WHERE retired_at IS NULL RETURNING organization_id',
    );
    return rows.map((row) => row.organization_id);
  }

  async delete(ids: string[]): Promise<void> {
    await this.unit.manager.query('DELETE FROM data_key WHERE id = ANY($1) AND retired_at IS NOT NULL', [ids]);
  }

  private asSystem<T>(work: () => Promise<T>): Promise<T> {
    return this.unit.runAsSystem('data keys', work);
  }
}
