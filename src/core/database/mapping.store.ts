import type { EntityTarget } from 'typeorm';
import { newId, type TenantEntity } from './base.entity.js';
import { Store } from './store.js';
import type { UnitOfWork } from './unit-of-work.js';

/** The columns of a mapping: what holds (`left`), and what is held (`right`). */
interface MappingColumns {
  left: string;
  right: string;
}

/**
 * Pairs of records. A pair is there once: adding it again changes nothing. Pairs go and come back together with the
 * record that holds them, which is identified by the time of its deletion.
 */
export abstract class MappingStore<M extends TenantEntity> extends Store<M> {
  protected constructor(
    unit: UnitOfWork,
    entity: EntityTarget<M>,
    private readonly table: string,
    private readonly sides: MappingColumns,
  ) {
    super(unit, entity, table);
  }

  /** The pair, and whether this call made it. */
  async add(organizationId: string, left: string, right: string): Promise<{ mapping: M; added: boolean }> {
    const { table, sides } = this;
    const [row] = await this.unit.manager.query<{ id: string; added: boolean }[]>(
      `INSERT INTO ${table} AS t (id, organization_id, ${sides.left}, ${sides.right}) VALUES ($1, $2, $3, $4)
       ON CONFLICT (${sides.left}, ${sides.right}) WHERE deleted_at IS NULL DO UPDATE SET revision = t.revision
       RETURNING id, xmax = 0 AS added`,
      [newId(), organizationId, left, right],
    );
    const mapping = await this.createQueryBuilder().where(`${this.alias}.id = :id`, { id: row?.id }).getOneOrFail();
    return { mapping, added: row?.added ?? false };
  }

  /** The pair, locked until the end of the unit of work; null when there is none. */
  lock(left: string, right: string): Promise<M | null> {
    return this.createQueryBuilder()
      .where(`${this.alias}.${this.sides.left} = :left AND ${this.alias}.${this.sides.right} = :right`, { left, right })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** What each of these records holds, newest first, at most `most` of each; one statement for all of them. */
  async findRightIds(lefts: readonly string[], most: number): Promise<Map<string, string[]>> {
    const rows = await this.unit.manager.query<{ left: string; right: string }[]>(
      `SELECT "left", "right" FROM (
         SELECT ${this.sides.left} AS "left", ${this.sides.right} AS "right",
                row_number() OVER (PARTITION BY ${this.sides.left} ORDER BY created_at DESC, id DESC) AS place
           FROM ${this.table} WHERE ${this.sides.left} = ANY($1) AND deleted_at IS NULL) AS pair
        WHERE place <= $2 ORDER BY place`,
      [lefts, most],
    );
    const held = new Map<string, string[]>(lefts.map((left) => [left, []]));
    for (const { left, right } of rows) held.get(left)?.push(right);
    return held;
  }

  /** Takes away every pair of a record that is on the given side, at the time when the record was deleted. */
  async removeAll(side: keyof MappingColumns, id: string, at: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE ${this.table} SET deleted_at = $2, updated_at = now(), revision = revision + 1
        WHERE ${this.sides[side]} = $1 AND deleted_at IS NULL`,
      [id, at],
    );
  }

  /** Brings back the pairs that went when the record was deleted, as far as `stillThere` (SQL on `t`) holds of them. */
  async restoreAll(side: keyof MappingColumns, id: string, deletedAt: Date, stillThere: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE ${this.table} AS t SET deleted_at = NULL, updated_at = now(), revision = revision + 1
        WHERE ${this.sides[side]} = $1 AND deleted_at = $2 AND ${stillThere}
          AND NOT EXISTS (SELECT FROM ${this.table} o WHERE o.deleted_at IS NULL
                           AND o.${this.sides.left} = t.${this.sides.left} AND o.${this.sides.right} = t.${this.sides.right})`,
      [id, deletedAt],
    );
  }
}
