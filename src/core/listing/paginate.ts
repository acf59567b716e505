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
import { type ListQuery, parsePage, toWholeList } from './list-query.js';
import type { Listing } from './listing.js';
import { applyFilters, findSearchIndex, resolveOrder, type ResolvedOrder } from './list-filters.js';
import type { ListedRecord, ListSource } from './list-source.js';
import type { Page } from './page.js';

/** Queries with these page sizes use prepared statements. */
const USUAL_SIZES = new Set([10, 20, 25, 50, 100]);

/**
 * Returns the requested page of `rows` with the exact total, in one statement. The total is stored or counted by a
 * subquery, because a window count would read every row for each page.
 * @throws InvalidRequest naming each invalid parameter
 */
export async function paginate<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  listing: Listing<E>,
  query: ListQuery,
  source: ListSource<E>,
): Promise<Page<E>> {
  const [{ isWhole, ...page }, sorting, filter] = checkAll(
    () => parsePage(query, listing.pageSize),
    () => resolveOrder(listing, query.order),
    () => applyFilters(rows, listing, query),
  );
  const isUsual = !query.filter && !query.order && (page.size === listing.pageSize || USUAL_SIZES.has(page.size));
  const step: Step<E> = { ...page, ...sorting, alias: listing.alias, isNamed: isUsual && !query.search };
  if (query.cursor !== undefined) {
    if (query.page !== undefined) throw cursorWithPage();
    const parts = [sorting.column.sql, sorting.direction, filter, query.search ?? '', rows.getParameters()];
    step.after = { cursor: query.cursor, walk: fingerprintQuery(parts) };
  }
  const index = query.search ? findSearchIndex(rows, listing, query) : undefined;
  if (index) {
    // A search by ids has the same plan for any number of them; other searches are planned for their pattern.
    const found = await readPage(rows.clone().andWhere(index.byIds), source, { ...step, isNamed: isUsual });
    if (found.items.length > 0 || (found.total > 0 && !step.after)) return isWhole ? toWholeList(found) : found;
    rows.andWhere(index.byRows);
  }
  const isUnfiltered = !query.search && !query.filter;
  const found = await readPage(rows, source, isUnfiltered && source.stored ? { ...step, stored: source.stored } : step);
  return isWhole ? toWholeList(found) : found;
}

/** Iterates over all requested records in batches, in order and with constant memory. */
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

/** What to read, and how. */
interface Step<E> extends ResolvedOrder<E> {
  page: number;
  size: number;
  alias: string;
  /** The cursor to continue from; an empty cursor starts a keyset listing. */
  after?: { cursor: string; walk: string };
  /** Whether to use a prepared statement. */
  isNamed: boolean;
  stored?: ListSource<never>['stored'];
}

/** Reads one page with the total. */
async function readPage<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  source: ListSource<E>,
  step: Step<E>,
): Promise<Page<E>> {
  const { page, size, column, direction, alias, after, isNamed, stored } = step;
  const conditions = rows.expressionMap.wheres.length;
  const all = () => withoutPage(rows, conditions);
  const totalSql = stored?.total ?? (isFoundById(rows, alias) ? 'count(*) OVER ()' : undefined);
  const total = { key: totalSql ?? '', toSql: () => totalSql ?? countQuery(all()) };
  const count = () =>
    countRows(all(), stored ? `coalesce((${stored.total}), (${countQuery(all())}))` : countQuery(all()));
  rows.orderBy(column.sql, direction).addOrderBy(`${alias}.id`, direction);
  if (after) return readAfter(rows, source, { ...step, after, total, count });
  rows.limit(size);
  const offset = page * size;
  const isFar = stored && column.isFixed && offset >= FAR_OFFSET;
  const found = isFar
    ? await readFarPage(rows, source, { column, direction, ...stored, alias, offset }, { isNamed, total })
    : await source.getMany(rows.offset(offset || undefined), { isNamed, total });
  const isEmpty = page === 0 && found.records.length === 0;
  return { page, size, items: found.records, total: found.total ?? (isEmpty ? 0 : await count()) };
}

interface StepAfter<E> extends Step<E> {
  after: { cursor: string; walk: string };
  total: { key: string; toSql: () => string };
  count: () => Promise<number>;
}

/** Reads the page after a cursor, by key instead of offset. */
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

/** Reports whether the rows are selected by their ids: they are then few, and the total is counted with them. */
const isFoundById = <E extends ObjectLiteral>(rows: SelectQueryBuilder<E>, alias: string): boolean =>
  rows.expressionMap.wheres.some(
    ({ condition }) => typeof condition === 'string' && condition.startsWith(`${alias}.id = ANY (`),
  );

/** Removes order and paging from the query, and all but its first `conditions` conditions. */
function withoutPage<E extends ObjectLiteral>(rows: SelectQueryBuilder<E>, conditions: number): SelectQueryBuilder<E> {
  const all = rows.clone();
  const map = all.expressionMap;
  map.wheres = map.wheres.slice(0, conditions);
  Object.assign(map, { orderBys: {}, limit: undefined, offset: undefined });
  return all;
}

const countQuery = <E extends ObjectLiteral>(rows: SelectQueryBuilder<E>): string =>
  rows.clone().select('count(*)').getQuery();

/** Counts the rows alone, for pages without a record to carry the total. */
async function countRows<E extends ObjectLiteral>(rows: SelectQueryBuilder<E>, sql: string): Promise<number> {
  const counted = rows.clone().select(`(${sql})`, 'count');
  const row = await counted.limit(1).getRawOne<{ count: string }>();
  return Number(row?.count ?? 0);
}
