import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../errors/app-error.js';

/** A column for ordering: its SQL, its SQL type, and its value in a record, which is never null. */
export interface OrderColumn<E> {
  sql: string;
  type: 'text' | 'timestamptz' | 'bigint';
  getValue(record: E): string | Date | number;
  /** Whether the value never changes while the record is in the list. */
  isFixed?: true;
}

/** A column of names, in the order in which people look for them. */
export const nameColumn = <E>(sql: string, getValue: (record: E) => string): OrderColumn<E> => ({
  sql: `${sql} COLLATE names`,
  type: 'text',
  getValue,
});

/** Restricts a query by the value of one key of `filter`. @throws InvalidRequest */
export type FilterCondition<E extends ObjectLiteral> = (rows: SelectQueryBuilder<E>, value: unknown) => void;

/** The orders, filters and searches of a list, by their API names. Other user input reaches SQL only as bound parameters. */
export interface Listing<E extends ObjectLiteral & { id: string }> {
  /** The alias of the table in the query. */
  alias: string;
  pageSize: number;
  order: Record<string, OrderColumn<E>>;
  defaultOrder: string;
  /** SQL of the columns that `search` matches. */
  search: string[];
  /** The SQL function that searches one organization by index. */
  searchFunction?: string;
  filter?: Record<string, FilterCondition<E>>;
  /** Default values of filter keys. */
  filterDefaults?: Record<string, unknown>;
}

/** The order columns of every record. */
export function recordOrderColumns<E extends { name: string; createdAt: Date; updatedAt: Date }>(
  alias: string,
): Record<string, OrderColumn<E>> {
  return {
    name: nameColumn(`${alias}.name`, (record) => record.name),
    created_at: {
      sql: `${alias}.created_at`,
      type: 'timestamptz',
      getValue: (record) => record.createdAt,
      isFixed: true,
    },
    updated_at: { sql: `${alias}.updated_at`, type: 'timestamptz', getValue: (record) => record.updatedAt },
  };
}

/** Filters by equality with a text column; rejects values that are not strings. */
export const equalsFilter =
  <E extends ObjectLiteral>(key: string, sql: string): FilterCondition<E> =>
  (rows, value) => {
    if (typeof value !== 'string') throw InvalidRequest.forField('filter', `${key} must be a string`);
    rows.andWhere(`${sql} = :filter_${key}`, { [`filter_${key}`]: value });
  };

/** Filters by equality with a column that has an enumerated set of values. */
export const wordFilter =
  <E extends ObjectLiteral>(key: string, sql: string, words: readonly string[]): FilterCondition<E> =>
  (rows, value) => {
    if (typeof value !== 'string' || !words.includes(value))
      throw InvalidRequest.forField('filter', `${key} must be one of ${words.join(', ')}`);
    rows.andWhere(`${sql} = :filter_${key}`, { [`filter_${key}`]: value });
  };

/** Filters by a boolean. */
export const booleanFilter =
  <E extends ObjectLiteral>(
    key: string,
    choose: (rows: SelectQueryBuilder<E>, yes: boolean) => void,
  ): FilterCondition<E> =>
  (rows, value) => {
    if (typeof value !== 'boolean') throw InvalidRequest.forField('filter', `${key} must be true or false`);
    choose(rows, value);
  };
