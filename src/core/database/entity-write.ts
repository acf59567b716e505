import type { EntityManager, EntityMetadata, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { named } from './statements.js';

type Row = Record<string, unknown>;

interface UpdateStatement {
  text: string;
  values: unknown[];
  fill: (rows: Row[]) => void;
}

/** division_by_zero, raised when an update changes no row; nothing else in a write raises it. */
export const NO_ROW_CHANGED = '22012';

/** The number of cached statements per kind of record: one for each set of columns. */
const MAX_TEXTS = 50;

/**
 * Inserts and updates single records. The SQL is generated once for each set of columns; values that the database
 * generates are assigned to the record.
 */
export class EntityWrite<E extends ObjectLiteral> {
  private readonly texts = new Map<string, string>();

  /** Inserts a record; columns without a value get their defaults. */
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
   * Updates the given fields of a record, its `updatedAt` and its revision.
   * @returns false when the record does not exist or the row-level security policies hide it
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
   * Builds the same update as a statement for `UnitOfWork.withCommit`, and a function that assigns the returned
   * row to the record. The statement fails with `NO_ROW_CHANGED`, and so does the transaction, when the row-level
   * security policies let it change nothing.
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
