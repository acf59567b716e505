import type { EntityTarget } from 'typeorm';
import { newId, type TenantEntity } from './base.entity.js';
import { Store } from './store.js';
import type { UnitOfWork } from './unit-of-work.js';

/** The tables that a mapping joins: the container (`left`) and the member (`right`). The columns are named after them. */
interface MappedTables {
  left: string;
  right: string;
}

/**
 * Stores pairs of records, each at most once. Pairs are deleted and restored together with either record; the
 * deletion time identifies the record they were deleted with.
 */
export abstract class MappingStore<M extends TenantEntity> extends Store<M> {
  /** The columns with the ids of the two records. */
  private readonly sides: MappedTables;

  protected constructor(
    unit: UnitOfWork,
    entity: EntityTarget<M>,
    private readonly table: string,
    private readonly mapped: MappedTables,
  ) {
    super(unit, entity, table);
    this.sides = { left: `${mapped.left}_id`, right: `${mapped.right}_id` };
  }

  /** Adds the pair unless it exists. @returns the pair, and whether this call added it */
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

  /** Returns the pair, locked until the end of the unit of work; null when there is none. */
  lock(left: string, right: string): Promise<M | null> {
    return this.createQueryBuilder()
      .where(`${this.alias}.${this.sides.left} = :left AND ${this.alias}.${this.sides.right} = :right`, { left, right })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Lists the members of each container, newest first, at most `most` each, in one statement. */
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

  /** Deletes every pair with the record on the given side, with the deletion time of the record. */
  async removeAll(side: keyof MappedTables, id: string, at: Date): Promise<void> {
    await this.unit.sendAhead(
      `UPDATE ${this.table} SET deleted_at = $2, updated_at = now(), revision = revision + 1
        WHERE ${this.sides[side]} = $1 AND deleted_at IS NULL`,
      [id, at],
    );
  }

  /**
   * Restores the pairs that were deleted with a record. A pair whose other record is deleted is restored with that
   * record, in whichever order the two were deleted.
   */
  async restoreAll(side: keyof MappedTables, id: string, deletedAt: Date): Promise<void> {
    const other = side === 'left' ? 'right' : 'left';
    await this.unit.manager.query(
      `UPDATE ${this.table} AS t SET deleted_at = other.deleted_at, updated_at = now(), revision = t.revision + 1
         FROM ${this.mapped[other]} AS other
        WHERE t.${this.sides[side]} = $1 AND t.deleted_at = $2 AND other.id = t.${this.sides[other]}
          AND NOT EXISTS (SELECT FROM ${this.table} o WHERE o.deleted_at IS NULL
                           AND o.${this.sides.left} = t.${this.sides.left} AND o.${this.sides.right} = t.${this.sides.right})`,
      [id, deletedAt],
    );
  }
}
