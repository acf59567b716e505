import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../errors/app-error.js';
import { type CursorPosition, decodeCursor, fingerprintQuery, encodeCursor } from './cursor.js';
import { type ListQuery, parsePage } from './list-query.js';
import type { Listing, OrderColumn } from './listing.js';
import { applyFilters, resolveOrder, type ResolvedOrder } from './list-filters.js';
import type { Page } from './page.js';

type ListedRecord = ObjectLiteral & { id: string };

/**
 * Answers the page of `rows` that the query asks for, with the exact total. Page and total are two statements: a window
 * count would walk every row for each page. They run side by side on two connections where no transaction has only one.
 * @throws InvalidRequest naming the parameter that is wrong
 */
export async function paginate<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  listing: Listing<E>,
  query: ListQuery,
  inTransaction: boolean,
): Promise<Page<E>> {
  const wish = parsePage(query, listing.pageSize);
  const sorting = resolveOrder(listing, query.order);
  const filter = applyFilters(rows, listing, query);
  const all = rows.clone();
  rows.orderBy(sorting.column.sql, sorting.direction).addOrderBy(`${listing.alias}.id`, sorting.direction);
  if (query.cursor !== undefined) {
    if (query.page !== undefined)
      throw InvalidRequest.forField('cursor', 'cannot be combined with page', 'Send one of the two.');
    const walk = fingerprintQuery([
      sorting.column.sql,
      sorting.direction,
      filter,
      query.search ?? '',
      all.getParameters(),
    ]);
    return paginateByCursor(rows, all, sorting, wish.size, walk, query.cursor, listing.alias);
  }
  rows.limit(wish.size).offset(wish.page * wish.size);
  if (inTransaction) return { ...wish, items: await rows.getMany(), total: await countRows(all) };
  const [items, total] = await Promise.all([rows.getMany(), countRows(all)]);
  return { ...wish, items, total };
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

/** One step of a walk over everything: the records after the cursor, by key and not by offset. */
async function paginateByCursor<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  all: SelectQueryBuilder<E>,
  { column, direction }: ResolvedOrder<E>,
  size: number,
  walk: string,
  cursor: string,
  alias: string,
): Promise<Page<E>> {
  const from = cursor ? decodeCursor(walk, cursor, column.type) : null;
  if (from) rows.andWhere(...afterCursorCondition(column, direction, alias, from));
  const found = await rows.limit(size + 1).getMany();
  const items = found.slice(0, size);
  const last = found.length > size ? items.at(-1) : undefined;
  const total = from?.total ?? (last ? await countRows(all) : items.length);
  return {
    page: 0,
    size,
    total,
    items,
    next: last ? encodeCursor(walk, { value: toCursorValue(column.getValue(last)), id: last.id, total }) : null,
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

async function countRows<E extends ObjectLiteral>(rows: SelectQueryBuilder<E>): Promise<number> {
  const row = await rows.select('count(*)', 'count').getRawOne<{ count: string }>();
  return Number(row?.count ?? 0);
}
