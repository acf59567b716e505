import type { UnitOfWork } from '../database/unit-of-work.js';

/** A column of encrypted values. All fields are SQL constants of this project, never user input. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key of the table. */
  key: string[];
  /** The encryption context of a value, as an SQL expression over its row. */
  context: string;
}

type RowKey = Record<string, unknown>;

const BATCH_SIZE = 500;
const usesRetiredKeySql = (column: string): string =>
  `substring(${column} from 1 for 17) IN (SELECT '\\x01'::bytea || uuid_send(id) FROM data_key WHERE retired_at IS NOT NULL)`;

/** Reads and updates the encrypted values of one column for re-encryption. */
export class SealedRows {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly target: SealedColumn,
  ) {}

  /** Iterates over the keys of rows whose value a retired data key encrypted, in batches. */
  async *iterateStale(): AsyncGenerator<RowKey> {
    const { table, column, key } = this.target;
    const columns = key.join(', ');
    for (let last: RowKey | undefined; ;) {
      const after = last ? `AND (${columns}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})` : '';
      const batch = await this.unit.manager.query<RowKey[]>(
        `SELECT ${columns} FROM ${table} WHERE ${usesRetiredKeySql(column)} ${after} ORDER BY ${columns} LIMIT ${BATCH_SIZE}`,
        last ? key.map((name) => last?.[name]) : [],
      );
      yield* batch;
      last = batch.at(-1);
      if (batch.length < BATCH_SIZE) return;
    }
  }

  /**
   * The value and its context, locked until the end of the unit of work; undefined when the row was deleted or
   * re-encrypted concurrently.
   */
  async findForUpdate(row: RowKey): Promise<{ sealed: Buffer; context: string } | undefined> {
    const { table, column, context } = this.target;
    const [found] = await this.unit.manager.query<{ sealed: Buffer; context: string }[]>(
      `SELECT ${column} AS sealed, ${context} AS context FROM ${table} WHERE ${this.whereKeySql(1)} AND ${usesRetiredKeySql(column)} FOR UPDATE`,
      this.keyValues(row),
    );
    return found;
  }

  async replace(row: RowKey, sealed: Buffer): Promise<void> {
    const { table, column } = this.target;
    await this.unit.manager.query(`UPDATE ${table} SET ${column} = $1 WHERE ${this.whereKeySql(2)}`, [
      sealed,
      ...this.keyValues(row),
    ]);
  }

  private whereKeySql(first: number): string {
    return this.target.key.map((name, index) => `${name} = $${first + index}`).join(' AND ');
  }

  private keyValues(row: RowKey): unknown[] {
    return this.target.key.map((name) => row[name]);
  }
}

/**
 * Lists retired data keys with the columns that still use them. It searches all columns of the database, including
 * undeclared ones.
 */
export async function findRetiredKeyUses(unit: UnitOfWork): Promise<{ id: string; column: string }[]> {
  const columns = await unit.manager.query<{ name: string; column: string }[]>(
    `SELECT format('%I', table_name) AS name, format('%I', column_name) AS column FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'bytea' AND table_name <> 'data_key'`,
  );
  const uses: { id: string; column: string }[] = [];
  for (const { name, column } of columns) {
    const rows = await unit.manager.query<{ id: string }[]>(
      `SELECT DISTINCT encode(substring(${column} from 2 for 16), 'hex')::uuid AS id FROM ${name} WHERE ${usesRetiredKeySql(column)}`,
    );
    uses.push(...rows.map(({ id }) => ({ id, column: `${name}.${column}` })));
  }
  return uses;
}
