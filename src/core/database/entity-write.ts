import type { EntityManager, EntityMetadata, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { named } from './statements.js';

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
    const rows = await manager.query<Record<string, unknown>[]>(text, toValues(manager, record, given));
    this.fill(manager, metadata, record, rows[0]);
  }

  /** Writes these fields of the record with this id; its time of change and its revision are updated with them. */
  async update(
    manager: EntityManager,
    metadata: EntityMetadata,
    record: E & { id: string },
    fields: string[],
  ): Promise<void> {
    const given = metadata.columns.filter(({ propertyName, isUpdate }) => isUpdate && fields.includes(propertyName));
    const text = this.textOf('update', given, () => {
      const moving = metadata.columns.filter(({ isUpdateDate, isVersion }) => isUpdateDate || isVersion);
      const changes = [
        ...given.map(({ databaseName }, at) => `${databaseName} = $${at + 2}`),
        ...moving.map(
          ({ databaseName, isVersion }) => `${databaseName} = ${isVersion ? `${databaseName} + 1` : 'now()'}`,
        ),
      ];
      return `UPDATE "${metadata.tableName}" SET ${changes.join(', ')} WHERE id = $1 RETURNING ${listOf(moving)}`;
    });
    const [rows] = await manager.query<[Record<string, unknown>[], number]>(text, [
      record.id,
      ...toValues(manager, record, given),
    ]);
    this.fill(manager, metadata, record, rows[0]);
  }

  private textOf(verb: string, columns: ColumnMetadata[], make: () => string): string {
    const key = `${verb} ${columns.map(({ databaseName }) => databaseName).join(' ')}`;
    const kept = this.texts.get(key);
    if (kept) return kept;
    const text = make();
    if (this.texts.size < MAX_TEXTS) this.texts.set(key, named(text));
    return text;
  }

  private fill(
    { dataSource }: EntityManager,
    { columns }: EntityMetadata,
    record: E,
    row?: Record<string, unknown>,
  ): void {
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
