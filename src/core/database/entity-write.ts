import type { EntityManager, EntityMetadata, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { named } from './statements.js';

type Row = Record<string, unknown>;

interface UpdateStatement {
  text: string;
  values: unknown[];
  fill: (rows: Row[]) => void;
}

/** division_by_zero, which no other part of a change is. */
export const NO_ROW_CHANGED = '22012';

/** Texts of one kind of record that are kept: one for each set of columns that is written together. */
const MAX_TEXTS = 50;

/** Writes records one at a time; the SQL is made once for each set of columns. What the database fills in is set in the record. */
export class EntityWrite<E extends ObjectLiteral> {
  private readonly texts = new Map<string, string>();

  /** Columns without a value have their defaults. */
  async insert(manager: EntityManager, metadata: EntityMetadata, record: E): Promise<void> {
    const given = metadata.columns.filter((column) => column.isInsert && valueOf(record, column) !== undefined);
    const text = this.textOf('insert', given, () => {
      const filled = metadata.columns.filter((column) => column.isSelect && !given.includes(column));
      return `INSERT INTO "${metadata.tableName}" (${listOf(given)}) VALUES (${given.map((_, at) => `$${at + 1}`).join(', ')})
        RETURNING ${listOf(filled)}`;
    });
    const rows = await manager.query<Row[]>(text, toValues(manager, record, given));
    this.fill(manager, metadata, record, rows[0]);
  }

  /**
   * Writes these fields of the record with this id; its time of change and its revision are updated with them.
   * @returns false when there is no such record, or the policies let it change nothing
   */
  async update(
    manager: EntityManager,
    metadata: EntityMetadata,
    record: E & { id: string },
    fields: string[],
  ): Promise<boolean> {
    const { text, values, fill } = this.makeUpdate('update', manager, metadata, record, fields);
    const [rows] = await manager.query<[Row[], number]>(text, values);
    fill(rows);
    return rows.length > 0;
  }

  /**
   * The same as a statement that nobody waits for alone, and what takes over the row that it answers. It fails with `NO_ROW_CHANGED` when the
   * policies let it change nothing, so that the transaction fails with it.
   */
  makeCertainUpdate(
    manager: EntityManager,
    metadata: EntityMetadata,
    record: E & { id: string },
    fields: string[],
  ): UpdateStatement {
    return this.makeUpdate('certain update', manager, metadata, record, fields);
  }

  private makeUpdate(
    verb: 'update' | 'certain update',
    manager: EntityManager,
    metadata: EntityMetadata,
    record: E & { id: string },
    fields: string[],
  ): UpdateStatement {
    const given = metadata.columns.filter(({ propertyName, isUpdate }) => isUpdate && fields.includes(propertyName));
    const text = this.textOf(verb, given, () => {
      const moving = metadata.columns.filter(({ isUpdateDate, isVersion }) => isUpdateDate || isVersion);
      const changes = [
        ...given.map(({ databaseName }, at) => `${databaseName} = $${at + 2}`),
        ...moving.map(
          ({ databaseName, isVersion }) => `${databaseName} = ${isVersion ? `${databaseName} + 1` : 'now()'}`,
        ),
      ];
      const update = `UPDATE "${metadata.tableName}" SET ${changes.join(', ')} WHERE id = $1 RETURNING ${listOf(moving)}`;
      if (verb === 'update') return update;
      const answered = moving.map(({ databaseName }) => `max("${databaseName}") AS "${databaseName}"`);
      return `WITH changed AS (${update}) SELECT ${answered.join(', ')}, 1 / count(*) AS changed FROM changed`;
    });
    const values = [record.id, ...toValues(manager, record, given)];
    return { text, values, fill: (rows) => this.fill(manager, metadata, record, rows[0]) };
  }

  private textOf(verb: string, columns: ColumnMetadata[], make: () => string): string {
    const key = `${verb} ${columns.map(({ databaseName }) => databaseName).join(' ')}`;
    const kept = this.texts.get(key);
    if (kept) return kept;
    const text = make();
    if (this.texts.size < MAX_TEXTS) this.texts.set(key, named(text));
    return text;
  }

  private fill({ dataSource }: EntityManager, { columns }: EntityMetadata, record: E, row?: Row): void {
    if (!row) return;
    for (const column of columns)
      if (column.databaseName in row)
        column.setEntityValue(record, dataSource.driver.prepareHydratedValue(row[column.databaseName], column));
  }
}

const valueOf = (record: ObjectLiteral, column: ColumnMetadata): unknown =>
  (record as Record<string, unknown>)[column.propertyName];

const listOf = (columns: ColumnMetadata[]): string => columns.map(({ databaseName }) => `"${databaseName}"`).join(', ');

const toValues = ({ dataSource }: EntityManager, record: ObjectLiteral, columns: ColumnMetadata[]): unknown[] =>
  columns.map((column) => dataSource.driver.preparePersistentValue(valueOf(record, column), column) as unknown);
