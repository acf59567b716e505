import type { UnitOfWork } from '../database/unit-of-work.js';

/** A column of sealed values. All parts are SQL constants of this project, never input of a caller. */
export interface SealedColumn {
  table: string;
  column: string;
  /** Its primary key. */
  key: string[];
  /** What a value is bound to, as an expression over its row. */
  context: string;
}

type RowKey = Record<string, unknown>;

const BATCH_SIZE = 500;
const usesRetiredKeySql = (column: string): string =>
  `substring(${column} from 1 for 17) IN (SELECT '\\x01'::bytea || uuid_send(id) FROM data_key WHERE retired_at IS NOT NULL)`;

/** The rows of one column of sealed values, for sealing them again. */
export class SealedRows {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly target: SealedColumn,
  ) {}

  /** The keys of rows that a retired data key has sealed, in batches. */
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

  /** The value and its key, locked until the end of the unit of work; undefined when it was deleted concurrently. */
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

/** Which retired data keys still have values in which columns, whether anybody named these columns or not. */
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
