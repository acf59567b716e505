import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { checkAll } from '../errors/check-all.js';
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
import { applyFilters, findSearchIndex, resolveOrder, type ResolvedOrder } from './list-filters.js';
import type { ListedRecord, ListSource } from './list-source.js';
import type { Page } from './page.js';

/** Pages of these sizes have statements of their own that connections keep; of any other, each is planned anew. */
const USUAL_SIZES = new Set([10, 20, 25, 50, 100]);

/**
 * Answers the page of `rows` that the query asks for, with the exact total, in one statement. The total is kept, or counted once:
 * a window count would walk every row for each page.
 * @throws InvalidRequest naming each parameter that is wrong
 */
export async function paginate<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  listing: Listing<E>,
  query: ListQuery,
  source: ListSource<E>,
): Promise<Page<E>> {
  const [wish, sorting, filter] = checkAll(
    () => parsePage(query, listing.pageSize),
    () => resolveOrder(listing, query.order),
    () => applyFilters(rows, listing, query),
  );
  const isUsual = !query.filter && !query.order && (wish.size === listing.pageSize || USUAL_SIZES.has(wish.size));
  const step: Step<E> = { ...wish, ...sorting, alias: listing.alias, isNamed: isUsual && !query.search };
  if (query.cursor !== undefined) {
    if (query.page !== undefined) throw cursorWithPage();
    const parts = [sorting.column.sql, sorting.direction, filter, query.search ?? '', rows.getParameters()];
    step.after = { cursor: query.cursor, walk: fingerprintQuery(parts) };
  }
  const index = query.search ? findSearchIndex(rows, listing, query) : undefined;
  if (index) {
    // What is found by ids is looked up by them, however many they are; any other search is planned for its pattern.
    const found = await readPage(rows.clone().andWhere(index.byIds), source, { ...step, isNamed: isUsual });
    if (found.items.length > 0 || (found.total > 0 && !step.after)) return found;
    rows.andWhere(index.byRows);
  }
  const isWhole = !query.search && !query.filter;
  return readPage(rows, source, isWhole && source.kept ? { ...step, kept: source.kept } : step);
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

/** What is read of the rows, and how. */
interface Step<E> extends ResolvedOrder<E> {
  page: number;
  size: number;
  alias: string;
  /** Where a walk goes on; with an empty cursor it begins. */
  after?: { cursor: string; walk: string };
  /** Whether one plan fits all values. */
  isNamed: boolean;
  kept?: ListSource<never>['kept'];
}

/** The records of one page, with the number of all. */
async function readPage<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  source: ListSource<E>,
  step: Step<E>,
): Promise<Page<E>> {
  const { page, size, column, direction, alias, after, isNamed, kept } = step;
  const conditions = rows.expressionMap.wheres.length;
  const all = () => withoutPage(rows, conditions);
  const totalSql = kept?.total ?? (isFoundById(rows, alias) ? 'count(*) OVER ()' : undefined);
  const total = { key: totalSql ?? '', toSql: () => totalSql ?? countQuery(all()) };
  const count = () => countRows(all(), kept ? `coalesce((${kept.total}), (${countQuery(all())}))` : countQuery(all()));
  rows.orderBy(column.sql, direction).addOrderBy(`${alias}.id`, direction);
  if (after) return readAfter(rows, source, { ...step, after, total, count });
  rows.limit(size);
  const offset = page * size;
  const isFar = kept && column.isFixed && offset >= FAR_OFFSET;
  const found = isFar
    ? await readFarPage(rows, source, { column, direction, ...kept, alias, offset }, { isNamed, total })
    : await source.getMany(rows.offset(offset || undefined), { isNamed, total });
  const isEmpty = page === 0 && found.records.length === 0;
  return { page, size, items: found.records, total: found.total ?? (isEmpty ? 0 : await count()) };
}

interface StepAfter<E> extends Step<E> {
  after: { cursor: string; walk: string };
  total: { key: string; toSql: () => string };
  count: () => Promise<number>;
}

/** One step of a walk over everything: the records after the cursor, by key and not by offset. */
async function readAfter<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  source: ListSource<E>,
  { column, direction, size, after: { cursor, walk }, alias, total, count, isNamed }: StepAfter<E>,
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
