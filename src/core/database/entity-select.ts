import type { EntityManager, EntityMetadata, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { DriverUtils } from 'typeorm/driver/DriverUtils.js';
import type { Selected, SelectOptions } from '../listing/list-source.js';
import { named } from './statements.js';

/** The number of query shapes whose SQL is cached; the SQL of others is generated on each call. */
const MAX_SHAPES = 200;
/** The offset is a constant in the SQL, because the plan depends on it; SQL with a larger offset is not cached. */
const MAX_NAMED_OFFSET = 100;

interface Sql {
  text: string;
  /** The parameter names in order of their numbers. */
  parameters: string[];
}

/**
 * Reads entities directly from driver rows. The query builder generates the SQL once per shape of query instead of
 * on each call.
 */
export class EntitySelect<E extends ObjectLiteral> {
  private readonly sql = new Map<string, Sql>();
  private columns: SelectedColumn[] | undefined;

  async getOne(manager: EntityManager, rows: SelectQueryBuilder<E>): Promise<E | null> {
    return (await this.getMany(manager, rows, { isNamed: true })).records[0] ?? null;
  }

  /** @returns the records; the total and the version only when requested and there is a record */
  async getMany(manager: EntityManager, rows: SelectQueryBuilder<E>, options: SelectOptions): Promise<Selected<E>> {
    // Let the query builder report the error of a lock without a transaction.
    const shape = rows.expressionMap.lockMode && !manager.queryRunner ? null : toShape(rows, options);
    // Queries beyond records of one table run through the query builder.
    if (shape === null) {
      const { entities, raw } = await withListColumns(rows, options).getRawAndEntities<Record<string, unknown>>();
      return { records: entities, ...readListColumns(raw[0]) };
    }
    const { text, parameters } = this.sql.get(shape) ?? this.write(shape, rows, options);
    const values = rows.getParameters() as Record<string, unknown>;
    const found = await manager.query<Record<string, unknown>[]>(
      text,
      parameters.map((name) => values[name]),
    );
    const metadata = (rows.expressionMap.mainAlias as { metadata: EntityMetadata }).metadata;
    return { records: found.map((row) => this.toRecord(row, metadata, rows)), ...readListColumns(found[0]) };
  }

  private write(shape: string, rows: SelectQueryBuilder<E>, options: SelectOptions): Sql {
    const { offset = 0 } = rows.expressionMap;
    const query = withListColumns(rows.clone(), options);
    const values = rows.getParameters();
    const placeholders = Object.fromEntries(Object.keys(values).map((name) => [name, new Placeholder(name)]));
    const [text, parameters] = rows.dataSource.driver.escapeQueryWithParameters(query.getQuery(), placeholders) as [
      string,
      Placeholder[],
    ];
    const sql = { text, parameters: parameters.map(({ name }) => name) };
    if (options.isNamed && offset <= MAX_NAMED_OFFSET) named(text);
    if (offset <= MAX_NAMED_OFFSET && this.sql.size < MAX_SHAPES) this.sql.set(shape, sql);
    return sql;
  }

  private toRecord(row: Record<string, unknown>, metadata: EntityMetadata, rows: SelectQueryBuilder<E>): E {
    this.columns ??= metadata.columns
      .filter(({ isSelect }) => isSelect)
      .map((column) => ({
        alias: DriverUtils.buildAlias(rows.dataSource.driver, undefined, rows.alias, column.databaseName),
        property: column.propertyName,
        column,
        isPlain: isPlain(column),
      }));
    const record = Object.create((metadata.target as { prototype: object }).prototype) as Record<string, unknown>;
    const { driver } = rows.dataSource;
    for (const { alias, property, column, isPlain } of this.columns)
      record[property] = isPlain ? row[alias] : driver.prepareHydratedValue(row[alias], column);
    return record as E;
  }
}

interface SelectedColumn {
  alias: string;
  property: string;
  column: ColumnMetadata;
  /** The driver's value is the property's value. */
  isPlain: boolean;
}

const PLAIN_TYPES = new Set<unknown>(['uuid', 'text', 'jsonb', 'smallint', 'integer', 'int', 'boolean', 'timestamptz']);
const PLAIN_CLASSES = new Set<unknown>([String, Number, Boolean, Date]);

const isPlain = ({ type, transformer, isArray }: ColumnMetadata): boolean =>
  transformer === undefined && !isArray && (PLAIN_TYPES.has(type) || PLAIN_CLASSES.has(type));

/** A placeholder for a value while the SQL is generated. */
class Placeholder {
  constructor(readonly name: string) {}
}

const TOTAL = 'total_of_list';
const VERSION = 'version_of_list';

function withListColumns<E extends ObjectLiteral>(
  rows: SelectQueryBuilder<E>,
  { total, version }: SelectOptions,
): SelectQueryBuilder<E> {
  if (total) rows.addSelect(`(${total.toSql()})`, TOTAL);
  if (version) rows.addSelect(`(${version})`, VERSION);
  return rows;
}

/** Columns that are null are unknown for this caller. */
const readListColumns = (row: Record<string, unknown> = {}): Omit<Selected<never>, 'records'> => ({
  ...((row[TOTAL] ?? null) === null ? {} : { total: Number(row[TOTAL]) }),
  ...(typeof row[VERSION] === 'string' ? { version: row[VERSION] } : {}),
});

/** The key of a query's SQL; null when the query has more than conditions, order, page and lock on one table. */
function toShape<E extends ObjectLiteral>(
  rows: SelectQueryBuilder<E>,
  { isNamed, total, version }: SelectOptions,
): string | null {
  const map = rows.expressionMap;
  const { mainAlias, wheres, selects, orderBys, limit, offset, lockMode, onLocked, withDeleted } = map;
  const isPlain =
    mainAlias?.hasMetadata &&
    mainAlias.metadata.embeddeds.length === 0 &&
    map.joinAttributes.length === 0 &&
    map.groupBys.length + map.havings.length + map.commonTableExpressions.length === 0 &&
    map.take === undefined &&
    map.skip === undefined &&
    selects.length === 1 &&
    selects[0]?.selection === mainAlias.name;
  if (!isPlain) return null;
  const parts = [mainAlias.name, withDeleted, limit, offset, lockMode, onLocked, isNamed, total?.key, version];
  for (const { type, condition } of wheres) {
    // An array expands to a variable number of parameters.
    if (typeof condition !== 'string' || condition.includes(':...')) return null;
    parts.push(type, condition);
  }
  return JSON.stringify([parts, orderBys]);
}
