import { NIL } from 'uuid';
import { checkAll } from '../errors/check-all.js';
import { cursorWithPage, decodeCursor, encodeCursor, fingerprintQuery } from './cursor.js';
import { parseFilter, resolveOrder } from './list-filters.js';
import { type ListQuery, MAX_PAGE_SIZE, parsePage, toWholeList } from './list-query.js';
import type { Page } from './page.js';

/** The order and search of a list in memory, by a unique text of its items. */
export interface ItemListing<T> {
  /** The name of the text in `order`. */
  name: string;
  getKey: (item: T) => string;
}

/**
 * Returns a page of a short list that is in memory; `pagesize` defaults to the maximum.
 * @throws InvalidRequest naming each invalid parameter
 */
export function paginateItems<T>(items: readonly T[], { name, getKey }: ItemListing<T>, query: ListQuery): Page<T> {
  const column = { sql: name, type: 'text' as const, getValue: getKey };
  const [{ page, size, isWhole }, { direction }] = checkAll(
    () => parsePage(query, MAX_PAGE_SIZE),
    () => resolveOrder({ order: { [name]: column }, defaultOrder: name }, query.order),
    () => parseFilter({}, query.filter),
  );
  const search = query.search?.toLowerCase() ?? '';
  const sign = direction === 'ASC' ? 1 : -1;
  const found = items
    .filter((item) => getKey(item).toLowerCase().includes(search))
    .sort((a, b) => (getKey(a) < getKey(b) ? -sign : sign));
  const total = found.length;
  if (isWhole) return toWholeList({ page, size, total, items: found });
  if (query.cursor === undefined) return { page, size, total, items: found.slice(page * size, (page + 1) * size) };
  if (query.page !== undefined) throw cursorWithPage();
  const walk = fingerprintQuery([name, direction, search]);
  const last = query.cursor ? decodeCursor(walk, query.cursor, 'text').value : null;
  const isAfter = (key: string): boolean => last === null || (sign > 0 ? key > last : key < last);
  const rest = found.filter((item) => isAfter(getKey(item)));
  const shown = rest.slice(0, size);
  const end = rest.length > size ? shown.at(-1) : undefined;
  const next = end === undefined ? null : encodeCursor(walk, { value: getKey(end), id: NIL, total });
  return { page: 0, size, total, items: shown, next };
}
