import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { type CursorPosition, cursorWithPage, decodeCursor, fingerprintQuery, encodeCursor } from './cursor.js';
import { type ListQuery, parsePage } from './list-query.js';
import type { Listing, OrderColumn } from './listing.js';
import { applyFilters, applySearchIndex, resolveOrder, type ResolvedOrder } from './list-filters.js';
import type { Page } from './page.js';

type ListedRecord = ObjectLiteral & { id: string };

export interface SelectOptions {
  /** Whether one plan fits all values, so that connections keep it. */
  isNamed: boolean;
  /** A count that the same statement returns: SQL with the parameters of the query, and a key that identifies it. */
  total?: { key: string; toSql: () => string };
}

/** Where a list is read. */
export interface ListSource<E extends ListedRecord> {
  /** @returns the total that is asked for as SQL, unless there is no record */
  getMany(rows: SelectQueryBuilder<E>, options: SelectOptions): Promise<{ records: E[]; total?: number }>;
  /** SQL of the number of records when the list is not narrowed, where it is kept; null where they have to be counted. */
  keptTotal?: string;
}

/**
 * Answers the page of `rows` that the query asks for, with the exact total, in one statement. The total is kept, or counted once:
 * a window count would walk every row for each page.
 * @throws InvalidRequest naming the parameter that is wrong
 */
export async function paginate<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  listing: Listing<E>,
  query: ListQuery,
  source: ListSource<E>,
): Promise<Page<E>> {
  const wish = parsePage(query, listing.pageSize);
  const sorting = resolveOrder(listing, query.order);
  const filter = applyFilters(rows, listing, query);
  const parameters = rows.getParameters();
  if (query.search) await applySearchIndex(rows, listing, query);
  const conditions = rows.expressionMap.wheres.length;
  const all = () => withoutPage(rows, conditions);
  const isWhole = !query.search && !query.filter;
  const kept = isWhole ? source.keptTotal : undefined;
  const countSql = () => (kept ? `coalesce((${kept}), (${countQuery(all())}))` : countQuery(all()));
  const total = { key: kept ?? '', toSql: countSql };
  const isNamed = isWhole && !query.order && wish.size === listing.pageSize;
  rows.orderBy(sorting.column.sql, sorting.direction).addOrderBy(`${listing.alias}.id`, sorting.direction);
  if (query.cursor !== undefined) {
    if (query.page !== undefined) throw cursorWithPage();
    const walk = fingerprintQuery([sorting.column.sql, sorting.direction, filter, query.search ?? '', parameters]);
    const step = { ...sorting, size: wish.size, walk, cursor: query.cursor, alias: listing.alias, total, isNamed };
    return paginateByCursor(rows, source, step);
  }
  rows.limit(wish.size);
  if (wish.page > 0) rows.offset(wish.page * wish.size);
  const found = await source.getMany(rows, { isNamed, total });
  const counted = found.total ?? (wish.page === 0 ? 0 : await countRows(all(), countSql()));
  return { ...wish, items: found.records, total: counted };
}

/** Every record that the query asks for, in its order and so many at a time; memory stays flat however many there are. */
export async function* iterateBatches<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  listing: Listing<E>,
  query: ListQuery,
  atOnce: number,
): AsyncGenerator<E[]> {
  const { column, direction } = resolveOrder(listing, query.order);
  applyFilters(rows, listing, query);
  rows.orderBy(column.sql, direction).addOrderBy(`${listing.alias}.id`, direction).limit(atOnce);
  for (let last: E | undefined; ;) {
    const next = rows.clone();
    if (last)
      next.andWhere(
        ...afterCursorCondition(column, direction, listing.alias, {
          value: toCursorValue(column.getValue(last)),
          id: last.id,
          total: 0,
        }),
      );
    const found = await next.getMany();
    if (found.length > 0) yield found;
    if (found.length < atOnce) return;
    last = found.at(-1);
  }
}

interface Step<E> extends ResolvedOrder<E> {
  size: number;
  walk: string;
  cursor: string;
  alias: string;
  total: { key: string; toSql: () => string };
  isNamed: boolean;
}

/** One step of a walk over everything: the records after the cursor, by key and not by offset. */
async function paginateByCursor<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  source: ListSource<E>,
  { column, direction, size, walk, cursor, alias, total, isNamed }: Step<E>,
): Promise<Page<E>> {
  const from = cursor ? decodeCursor(walk, cursor, column.type) : null;
  if (from) rows.andWhere(...afterCursorCondition(column, direction, alias, from));
  const found = await source.getMany(rows.limit(size + 1), from ? { isNamed } : { isNamed, total });
  const items = found.records.slice(0, size);
  const last = found.records.length > size ? items.at(-1) : undefined;
  const known = from?.total ?? found.total ?? 0;
  return {
    page: 0,
    size,
    total: known,
    items,
    next: last ? encodeCursor(walk, { value: toCursorValue(column.getValue(last)), id: last.id, total: known }) : null,
  };
}

function afterCursorCondition<E>(
  column: OrderColumn<E>,
  direction: 'ASC' | 'DESC',
  alias: string,
  { value, id }: CursorPosition,
): [string, Record<string, string>] {
  const sign = direction === 'ASC' ? '>' : '<';
  return [
    `(${column.sql}, ${alias}.id) ${sign} (CAST(:walkValue AS ${column.type}), CAST(:walkId AS uuid))`,
    { walkValue: value, walkId: id },
  ];
}

const toCursorValue = (value: string | Date | number): string =>
  value instanceof Date ? value.toISOString() : String(value);

/** The rows before they were ordered and cut into pages: with the first so many of their conditions. */
function withoutPage<E extends ObjectLiteral>(rows: SelectQueryBuilder<E>, conditions: number): SelectQueryBuilder<E> {
  const all = rows.clone();
  const map = all.expressionMap;
  map.wheres = map.wheres.slice(0, conditions);
  Object.assign(map, { orderBys: {}, limit: undefined, offset: undefined });
  return all;
}

const countQuery = <E extends ObjectLiteral>(rows: SelectQueryBuilder<E>): string =>
  rows.clone().select('count(*)').getQuery();

/** Reads the total alone, when no record contained it. */
async function countRows<E extends ObjectLiteral>(rows: SelectQueryBuilder<E>, sql: string): Promise<number> {
  const counted = rows.clone().select(`(${sql})`, 'count');
  const row = await counted.limit(1).getRawOne<{ count: string }>();
  return Number(row?.count ?? 0);
}
