import type { SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../errors/app-error.js';
import { checkAll } from '../errors/check-all.js';
import { findUnstorableParts } from '../json/storable-json.js';
import type { ListQuery } from './list-query.js';
import type { ListedRecord } from './list-source.js';
import type { Listing, OrderColumn } from './listing.js';

export interface ResolvedOrder<E> {
  column: OrderColumn<E>;
  direction: 'ASC' | 'DESC';
}

/** Applies `filter` and `search` of the query to the rows; answers the filter with its defaults. */
export function applyFilters<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  listing: Listing<E>,
  query: ListQuery,
): object {
  const filter = { ...listing.filterDefaults, ...parseFilter(listing, query.filter) };
  checkAll(
    ...Object.entries(filter).map(
      ([key, value]) =>
        () =>
          listing.filter?.[key]?.(rows, value),
    ),
  );
  if (query.search) {
    const searchPattern = `%${query.search.replace(/[\\%_]/g, '\\$&')}%`;
    rows.andWhere(`(${listing.search.map((sql) => `${sql} ILIKE :searchPattern`).join(' OR ')})`, { searchPattern });
  }
  return filter;
}

/** The trigram index knows words of at least so many letters or digits. */
const INDEXED_WORD = /[\p{L}\p{N}]{3}/u;
/** More are found faster by looking at the rows. */
const MAX_CANDIDATES = 10_000;

/** Two ways to find the same records; the second one finds nothing when the first one applies. */
export interface IndexedSearch {
  /** Takes the ids from the index; finds nothing where they are more than it answers. */
  byIds: string;
  /** Looks at the rows where the ids are too many, and nowhere else. */
  byRows: string;
}

/**
 * How the index finds the records of a search in one organization, to which the filters were applied, where it can: under the
 * row-level policies PostgreSQL would compare every row of the organization.
 */
export function findSearchIndex<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  { alias, searchFunction }: Listing<E>,
  { search = '' }: ListQuery,
): IndexedSearch | undefined {
  if (!searchFunction || !INDEXED_WORD.test(search) || !rows.getParameters()['organizationId']) return undefined;
  const ids = `(SELECT ${searchFunction}(:organizationId, :searchPattern, ${MAX_CANDIDATES}))`;
  return { byIds: `${alias}.id = ANY (CAST(${ids} AS uuid[]))`, byRows: `${ids} IS NULL` };
}

/** @throws InvalidRequest when the order names no column of the list */
export function resolveOrder<E>(
  listing: { order: Record<string, OrderColumn<E>>; defaultOrder: string },
  order: string | undefined,
): ResolvedOrder<E> {
  const [name = '', word = 'asc', ...rest] = (order?.trim() || listing.defaultOrder).split(/\s+/);
  const column = Object.hasOwn(listing.order, name) ? listing.order[name] : undefined;
  const direction = word.toUpperCase();
  if (!column || (direction !== 'ASC' && direction !== 'DESC') || rest.length > 0)
    throw InvalidRequest.forField(
      'order',
      `must be one of ${Object.keys(listing.order).join(', ')}, optionally followed by asc or desc`,
    );
  return { column, direction };
}

/** The conditions of a list, all of which it knows. @throws InvalidRequest */
export function parseFilter(listing: { filter?: object }, text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  const filter = parseFilterJson(text);
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw InvalidRequest.forField('filter', 'must be a JSON object', 'Send a JSON object such as {"name":"prod"}.');
  const allowed = Object.keys(listing.filter ?? {});
  const unknown = Object.keys(filter).filter((key) => !allowed.includes(key));
  if (unknown.length > 0)
    throw InvalidRequest.forField(
      'filter',
      `does not know ${unknown.join(', ')}`,
      allowed.length > 0 ? `The conditions are ${allowed.join(', ')}.` : 'This list takes no conditions.',
    );
  const [fault] = findUnstorableParts(filter, '');
  if (fault) throw InvalidRequest.forField('filter', `${fault.pointer?.slice(1)} ${fault.detail}`);
  return filter as Record<string, unknown>;
}

function parseFilterJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw InvalidRequest.forField('filter', 'is not valid JSON', 'Send a JSON object such as {"name":"prod"}.');
  }
}
