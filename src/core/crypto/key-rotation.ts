import { randomBytes } from 'node:crypto';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { DataKeysStore } from './data-keys.store.js';
import type { KeyService } from './key-service.js';
import { type SealedColumn, SealedRows, findRetiredKeyUses } from './sealed-column.js';
import type { Vault } from './vault.service.js';

/**
 * Much longer than a server caches the current key (`CURRENT_KEY_TTL_MS`) and than a transaction takes to write an
 * encrypted value.
 */
const GRACE_PERIOD_MS = 60 * 60 * 1000;

/**
 * Rotates keys while servers run. Every step is idempotent and can resume after a crash; each locks one row at a
 * time and skips rows that need no change.
 */
export class KeyRotation {
  private readonly dataKeys: DataKeysStore;

  constructor(
    private readonly unit: UnitOfWork,
    private readonly keys: KeyService,
    private readonly vault: Vault,
  ) {
    this.dataKeys = new DataKeysStore(unit);
  }

  /**
   * Wraps every data key with the current key of the key service.
   * @returns the number of keys that another key wrapped
   */
  async rewrapAll(): Promise<number> {
    let done = 0;
    for (;;) {
      const ids = await this.dataKeys.findNotWrappedWith(this.keys.currentKeyId);
      if (ids.length === 0) return done;
      for (const id of ids) if (await this.unit.run(() => this.rewrapOne(id))) done++;
    }
  }

  /** Creates a new data key for every organization, unless an earlier rotation is unfinished. */
  async rotateDataKeys(): Promise<number> {
    return this.unit.run(async () => {
      if ((await this.dataKeys.listRetired()).length > 0) return 0;
      const owners = await this.dataKeys.retireAll();
      for (const owner of owners)
        await this.dataKeys.insertUnlessPresent(owner, {
          wrapped: await this.keys.wrap(randomBytes(32)),
          keyId: this.keys.currentKeyId,
        });
      return owners.length;
    });
  }

  /** Re-encrypts data that was encrypted with retired data keys. Data that cannot be decrypted is left unchanged and reported. */
  async reseal(column: SealedColumn): Promise<{ done: number; failed: string[] }> {
    const rows = new SealedRows(this.unit, column);
    const failed: string[] = [];
    let done = 0;
    for await (const row of rows.iterateStale()) {
      const outcome = await this.unit.run(async () => {
        const found = await rows.findForUpdate(row);
        if (!found) return 'gone';
        const sealed = await this.vault.reseal(found.sealed, found.context).catch((error: Error) => error);
        if (sealed instanceof Error) return sealed;
        await rows.replace(row, sealed);
        return 'done';
      });
      if (outcome === 'done') done++;
      if (outcome instanceof Error)
        failed.push(`${column.table}.${column.column} of ${Object.values(row).join(' ')}: ${outcome.message}`);
    }
    return { done, failed };
  }

  /**
   * Deletes the retired data keys that no stored value uses. Keys retired within the last hour remain, because a
   * server may still write a value that it has encrypted with one.
   * @returns the number deleted, the number waiting and until when, and the columns that still use retired keys
   */
  async deleteUnused(): Promise<{ deleted: number; waiting: number; until: Date | null; usedIn: string[] }> {
    const settled = Date.now() - GRACE_PERIOD_MS;
    const retired = (await this.dataKeys.listRetired()).map(({ id, retiredAt }) => ({
      id,
      at: retiredAt?.getTime() ?? 0,
    }));
    const uses = await findRetiredKeyUses(this.unit);
    const used = new Set(uses.map(({ id }) => id));
    const unused = retired.filter(({ id, at }) => at < settled && !used.has(id));
    await this.dataKeys.delete(unused.map(({ id }) => id));
    const latest = Math.max(0, ...retired.map(({ at }) => at));
    return {
      deleted: unused.length,
      waiting: retired.length - unused.length,
      until: latest >= settled ? new Date(latest + GRACE_PERIOD_MS) : null,
      usedIn: [...new Set(uses.map(({ column }) => column))],
    };
  }

  private async rewrapOne(id: string): Promise<boolean> {
    const row = await this.dataKeys.findForUpdate(id);
    const keyId = this.keys.currentKeyId;
    if (!row || row.keyId === keyId) return false;
    const wrapped = await this.keys.wrap(await this.keys.unwrap(row.wrapped, row.keyId));
    await this.dataKeys.updateWrapped(id, { wrapped, keyId });
    return true;
  }
}
