import { randomBytes } from 'node:crypto';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { DataKeysStore } from './data-keys.store.js';
import type { KeyService } from './key-service.js';
import { type SealedColumn, SealedRows, findRetiredKeyUses } from './sealed-column.js';
import type { Vault } from './vault.service.js';

/** Far longer than a server seals with a data key that was retired, and than anything sealed waits to be written. */
const GRACE_PERIOD_MS = 60 * 60 * 1000;

/**
 * Changes keys while servers run. Every step may be repeated and taken up again after a crash; none holds more than one
 * row at a time, and none touches what it does not have to.
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

  /** Wraps every data key with the current key of the key service. @returns how many were wrapped with another */
  async rewrapAll(): Promise<number> {
    let done = 0;
    for (;;) {
      const ids = await this.dataKeys.findNotWrappedWith(this.keys.currentKeyId);
      if (ids.length === 0) return done;
      for (const id of ids) if (await this.unit.run(() => this.rewrapOne(id))) done++;
    }
  }

  /** Gives every organization a new data key to seal with, unless an earlier change of them is not finished. */
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
   * Deletes the retired data keys that nothing in the database uses any more. Those of the last hour stay: a server may
   * have sealed with one and not yet written.
   * @returns how many went, how many stay until when, and which columns still hold values of retired keys
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
