import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import {
  cursorWithPage,
  decodeCursor,
  encodeCursor,
  fingerprintQuery,
  keysetCondition,
  toKeysetValue,
} from './cursor.js';
import { FAR_OFFSET, readFarPage } from './far-page.js';
import { type ListQuery, parsePage } from './list-query.js';
import type { Listing } from './listing.js';
import { applyFilters, applySearchIndex, resolveOrder, type ResolvedOrder } from './list-filters.js';
import type { ListedRecord, ListSource } from './list-source.js';
import type { Page } from './page.js';

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
  const kept = isWhole ? source.kept : undefined;
  const isById = isFoundById(rows, listing.alias);
  const totalSql = kept?.total ?? (isById ? 'count(*) OVER ()' : undefined);
  const total = { key: totalSql ?? '', toSql: () => totalSql ?? countQuery(all()) };
  const count = () => countRows(all(), kept ? `coalesce((${kept.total}), (${countQuery(all())}))` : countQuery(all()));
  // What is found by ids is looked up by them, however many they are; any other search is planned for its pattern.
  const isNamed = (isWhole || (isById && !query.filter)) && !query.order && wish.size === listing.pageSize;
  rows.orderBy(sorting.column.sql, sorting.direction).addOrderBy(`${listing.alias}.id`, sorting.direction);
  if (query.cursor !== undefined) {
    if (query.page !== undefined) throw cursorWithPage();
    const walk = fingerprintQuery([sorting.column.sql, sorting.direction, filter, query.search ?? '', parameters]);
    const step = {
      ...sorting,
      size: wish.size,
      walk,
      cursor: query.cursor,
      alias: listing.alias,
      total,
      count,
      isNamed,
    };
    return paginateByCursor(rows, source, step);
  }
  rows.limit(wish.size);
  const offset = wish.page * wish.size;
  const isFar = kept && sorting.column.isFixed && offset >= FAR_OFFSET;
  const found = isFar
    ? await readFarPage(rows, source, { ...sorting, ...kept, alias: listing.alias, offset }, { isNamed, total })
    : await source.getMany(rows.offset(offset || undefined), { isNamed, total });
  const isEmpty = wish.page === 0 && found.records.length === 0;
  return { ...wish, items: found.records, total: found.total ?? (isEmpty ? 0 : await count()) };
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
        ...keysetCondition(
          { column, direction },
          listing.alias,
          { value: toKeysetValue(column.getValue(last)), id: last.id },
          'after',
        ),
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
  count: () => Promise<number>;
  isNamed: boolean;
}

/** One step of a walk over everything: the records after the cursor, by key and not by offset. */
async function paginateByCursor<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  source: ListSource<E>,
  { column, direction, size, walk, cursor, alias, total, count, isNamed }: Step<E>,
): Promise<Page<E>> {
  const from = cursor ? decodeCursor(walk, cursor, column.type) : null;
  if (from) rows.andWhere(...keysetCondition({ column, direction }, alias, from, 'after'));
  const found = await source.getMany(rows.limit(size + 1), from ? { isNamed } : { isNamed, total });
  const items = found.records.slice(0, size);
  const last = found.records.length > size ? items.at(-1) : undefined;
  const known = from?.total ?? found.total ?? (found.records.length === 0 ? 0 : await count());
  return {
    page: 0,
    size,
    total: known,
    items,
    next: last ? encodeCursor(walk, { value: toKeysetValue(column.getValue(last)), id: last.id, total: known }) : null,
  };
}

/** Whether the rows are found by their ids: then they are few, and counted as they are read. */
const isFoundById = <E extends ObjectLiteral>(rows: SelectQueryBuilder<E>, alias: string): boolean =>
  rows.expressionMap.wheres.some(
    ({ condition }) => typeof condition === 'string' && condition.startsWith(`${alias}.id = ANY (`),
  );

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
