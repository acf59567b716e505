import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../errors/app-error.js';
import { type Position, readCursor, walkOf, writeCursor } from './cursor.js';
import { type ListQuery, pageOf } from './list-query.js';
import type { Listing, OrderColumn } from './listing.js';
import { narrow, orderOf, type Sorting } from './narrow.js';
import type { Page } from './page.js';

type Row = ObjectLiteral & { id: string };

/**
 * Answers the page of `rows` that the query asks for, with the exact total. Page and total are two statements: a window
 * count would walk every row for each page. They run side by side on two connections where no transaction has only one.
 * @throws InvalidRequest naming the parameter that is wrong
 */
export async function paginate<E extends Row>(
  rows: SelectQueryBuilder<E>,
  listing: Listing<E>,
  query: ListQuery,
  inTransaction: boolean,
): Promise<Page<E>> {
  const wish = pageOf(query, listing.pageSize);
  const sorting = orderOf(listing, query.order);
  const filter = narrow(rows, listing, query);
  const all = rows.clone();
  rows.orderBy(sorting.column.sql, sorting.direction).addOrderBy(`${listing.alias}.id`, sorting.direction);
  if (query.cursor !== undefined) {
    if (query.page !== undefined)
      throw InvalidRequest.at('cursor', 'cannot be combined with page', 'Send one of the two.');
    const walk = walkOf([sorting.column.sql, sorting.direction, filter, query.search ?? '', all.getParameters()]);
    return step(rows, all, sorting, wish.size, walk, query.cursor, listing.alias);
  }
  rows.limit(wish.size).offset(wish.page * wish.size);
  if (inTransaction) return { ...wish, items: await rows.getMany(), total: await countOf(all) };
  const [items, total] = await Promise.all([rows.getMany(), countOf(all)]);
  return { ...wish, items, total };
}

/** Every record that the query asks for, in its order and so many at a time; memory stays flat however many there are. */
export async function* walkAll<E extends Row>(
  rows: SelectQueryBuilder<E>,
  listing: Listing<E>,
  query: ListQuery,
  atOnce: number,
): AsyncGenerator<E[]> {
  const { column, direction } = orderOf(listing, query.order);
  narrow(rows, listing, query);
  rows.orderBy(column.sql, direction).addOrderBy(`${listing.alias}.id`, direction).limit(atOnce);
  for (let last: E | undefined; ;) {
    const next = rows.clone();
    if (last)
      next.andWhere(
        ...after(column, direction, listing.alias, { value: text(column.of(last)), id: last.id, total: 0 }),
      );
    const found = await next.getMany();
    if (found.length > 0) yield found;
    if (found.length < atOnce) return;
    last = found.at(-1);
  }
}

/** One step of a walk over everything: the records after the cursor, by key and not by offset. */
async function step<E extends Row>(
  rows: SelectQueryBuilder<E>,
  all: SelectQueryBuilder<E>,
  { column, direction }: Sorting<E>,
  size: number,
  walk: string,
  cursor: string,
  alias: string,
): Promise<Page<E>> {
  const from = cursor ? readCursor(walk, cursor, column.type) : null;
  if (from) rows.andWhere(...after(column, direction, alias, from));
  const found = await rows.limit(size + 1).getMany();
  const items = found.slice(0, size);
  const last = found.length > size ? items.at(-1) : undefined;
  const total = from?.total ?? (last ? await countOf(all) : items.length);
  return {
    page: 0,
    size,
    total,
    items,
    next: last ? writeCursor(walk, { value: text(column.of(last)), id: last.id, total }) : null,
  };
}

function after<E>(
  column: OrderColumn<E>,
  direction: 'ASC' | 'DESC',
  alias: string,
  { value, id }: Position,
): [string, Record<string, string>] {
  const sign = direction === 'ASC' ? '>' : '<';
  return [
    `(${column.sql}, ${alias}.id) ${sign} (CAST(:walkValue AS ${column.type}), CAST(:walkId AS uuid))`,
    { walkValue: value, walkId: id },
  ];
}

const text = (value: string | Date | number): string => (value instanceof Date ? value.toISOString() : String(value));

async function countOf<E extends ObjectLiteral>(rows: SelectQueryBuilder<E>): Promise<number> {
  const row = await rows.select('count(*)', 'count').getRawOne<{ count: string }>();
  return Number(row?.count ?? 0);
}
