import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../errors/app-error.js';

/** A column that lists may be ordered by: its SQL, its SQL type, and its value in a record. It is never null. */
export interface OrderColumn<E> {
  sql: string;
  type: 'text' | 'timestamptz' | 'bigint';
  getValue(record: E): string | Date | number;
  /** A record keeps its value for as long as it is in the list. */
  isFixed?: true;
}

/** Narrows a query by the value of one key of `filter`, or throws InvalidRequest. */
export type FilterCondition<E extends ObjectLiteral> = (rows: SelectQueryBuilder<E>, value: unknown) => void;

/** What a list may be asked, in the words of the wire. Nothing else of a query reaches SQL but as a bound parameter. */
export interface Listing<E extends ObjectLiteral & { id: string }> {
  /** The alias of the records in the query. */
  alias: string;
  pageSize: number;
  order: Record<string, OrderColumn<E>>;
  defaultOrder: string;
  /** SQL of the columns that `search` looks into. */
  search: string[];
  /** The SQL function that finds what `search` matches in one organization by index. */
  searchFunction?: string;
  filter?: Record<string, FilterCondition<E>>;
  /** Filter keys with the value they have when they are not given. */
  filterDefaults?: Record<string, unknown>;
}

/** The columns that every record can be ordered by. */
export function recordOrderColumns<E extends { name: string; createdAt: Date; updatedAt: Date }>(
  alias: string,
): Record<string, OrderColumn<E>> {
  return {
    name: { sql: `${alias}.name`, type: 'text', getValue: (record) => record.name },
    created_at: {
      sql: `${alias}.created_at`,
      type: 'timestamptz',
      getValue: (record) => record.createdAt,
      isFixed: true,
    },
    updated_at: { sql: `${alias}.updated_at`, type: 'timestamptz', getValue: (record) => record.updatedAt },
  };
}

/** Equality with a text column; anything but a string is refused. */
export const equalsFilter =
  <E extends ObjectLiteral>(key: string, sql: string): FilterCondition<E> =>
  (rows, value) => {
    if (typeof value !== 'string') throw InvalidRequest.forField('filter', `${key} must be a string`);
    rows.andWhere(`${sql} = :filter_${key}`, { [`filter_${key}`]: value });
  };

/** Equality with a column that holds one of a few words. */
export const wordFilter =
  <E extends ObjectLiteral>(key: string, sql: string, words: readonly string[]): FilterCondition<E> =>
  (rows, value) => {
    if (typeof value !== 'string' || !words.includes(value))
      throw InvalidRequest.forField('filter', `${key} must be one of ${words.join(', ')}`);
    rows.andWhere(`${sql} = :filter_${key}`, { [`filter_${key}`]: value });
  };

/** A choice by true or false. */
export const booleanFilter =
  <E extends ObjectLiteral>(
    key: string,
    choose: (rows: SelectQueryBuilder<E>, yes: boolean) => void,
  ): FilterCondition<E> =>
  (rows, value) => {
    if (typeof value !== 'boolean') throw InvalidRequest.forField('filter', `${key} must be true or false`);
    choose(rows, value);
  };
