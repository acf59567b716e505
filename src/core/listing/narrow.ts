import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../errors/app-error.js';
import { unsound } from '../schema/sound.js';
import type { ListQuery } from './list-query.js';
import type { Listing, OrderColumn } from './listing.js';

export interface Sorting<E> {
  column: OrderColumn<E>;
  direction: 'ASC' | 'DESC';
}

type Row = ObjectLiteral & { id: string };

/** Applies `filter` and `search` of the query to the rows; answers the filter with its defaults. */
export function narrow<E extends Row>(rows: SelectQueryBuilder<E>, listing: Listing<E>, query: ListQuery): object {
  const filter = { ...listing.filterDefaults, ...parse(listing, query.filter) };
  for (const [key, value] of Object.entries(filter)) listing.filter?.[key]?.(rows, value);
  if (query.search) {
    const searchPattern = `%${query.search.replace(/[\\%_]/g, '\\$&')}%`;
    rows.andWhere(`(${listing.search.map((sql) => `${sql} ILIKE :searchPattern`).join(' OR ')})`, { searchPattern });
  }
  return filter;
}

/** @throws InvalidRequest when the order names no column of the list */
export function orderOf<E extends Row>(listing: Listing<E>, order: string | undefined): Sorting<E> {
  const [name = '', word = 'asc', ...rest] = (order?.trim() || listing.defaultOrder).split(/\s+/);
  const column = Object.hasOwn(listing.order, name) ? listing.order[name] : undefined;
  const direction = word.toUpperCase();
  if (!column || (direction !== 'ASC' && direction !== 'DESC') || rest.length > 0)
    throw InvalidRequest.at(
      'order',
      `must be one of ${Object.keys(listing.order).join(', ')}, optionally followed by asc or desc`,
    );
  return { column, direction };
}

function parse<E extends Row>(listing: Listing<E>, text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  const filter = json(text);
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw InvalidRequest.at('filter', 'must be a JSON object', 'Send a JSON object such as {"name":"prod"}.');
  const allowed = Object.keys(listing.filter ?? {});
  const unknown = Object.keys(filter).filter((key) => !allowed.includes(key));
  if (unknown.length > 0)
    throw InvalidRequest.at(
      'filter',
      `does not know ${unknown.join(', ')}`,
      allowed.length > 0 ? `The conditions are ${allowed.join(', ')}.` : 'This list takes no conditions.',
    );
  const [fault] = unsound(filter, '');
  if (fault) throw InvalidRequest.at('filter', `${fault.pointer?.slice(1)} ${fault.detail}`);
  return filter as Record<string, unknown>;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw InvalidRequest.at('filter', 'is not valid JSON', 'Send a JSON object such as {"name":"prod"}.');
  }
}
