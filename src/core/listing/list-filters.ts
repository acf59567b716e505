import { isUUID } from 'class-validator';
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

/** Applies `filter` and `search` of the query to the rows. @returns the filter with its defaults */
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
    const matches = listing.search.map((sql) => `${sql} ILIKE :searchPattern`);
    const isId = isUUID(query.search, 'all');
    if (isId) matches.push(`${listing.alias}.id = :searchId`);
    rows.andWhere(`(${matches.join(' OR ')})`, { searchPattern, ...(isId ? { searchId: query.search } : {}) });
  }
  return filter;
}

/** The trigram index contains words of at least three letters or digits. */
const INDEXED_WORD = /[\p{L}\p{N}]{3}/u;
/** Above this number of candidates, a scan of the rows is faster. */
const MAX_CANDIDATES = 10_000;

/** Two conditions for the same search; exactly one of them returns rows. */
export interface IndexedSearch {
  /** Matches the ids from the index; returns nothing when there are too many candidates. */
  byIds: string;
  /** Scans the rows when there are too many candidates; otherwise returns nothing. */
  byRows: string;
}

/**
 * Builds an index search in one organization for a filtered query, where possible. Without it, PostgreSQL scans
 * every row of the organization, because operators that are not leakproof cannot use an index under row-level
 * security.
 */
export function findSearchIndex<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  { alias, searchFunction }: Listing<E>,
  { search = '' }: ListQuery,
): IndexedSearch | undefined {
  if (!searchFunction || isUUID(search, 'all') || !INDEXED_WORD.test(search) || !rows.getParameters()['organizationId'])
    return undefined;
  const ids = `(SELECT ${searchFunction}(:organizationId, :searchPattern, ${MAX_CANDIDATES}))`;
  return { byIds: `${alias}.id = ANY (CAST(${ids} AS uuid[]))`, byRows: `${ids} IS NULL` };
}

/** @throws InvalidRequest when the order is not a column of the list */
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

/** Parses the conditions of a list. @throws InvalidRequest for malformed JSON or an unknown condition */
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
