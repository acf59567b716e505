import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { KeysetCache } from './keyset-cache.js';

export type ListedRecord = ObjectLiteral & { id: string };

export interface SelectOptions {
  /** Whether one plan fits all values, so that connections keep it. */
  isNamed: boolean;
  /** A count that the same statement returns: SQL with the parameters of the query, and a key that identifies it. */
  total?: { key: string; toSql: () => string };
  /** SQL of the version of the list that the same statement returns. */
  version?: string;
}

/** Records, with what else was asked for as SQL unless that is null or there is no record. */
export interface Selected<E> {
  records: E[];
  total?: number;
  version?: string;
}

/** What is kept of a list that is not narrowed, as SQL which is null for callers who do not see all of it. */
export interface KeptList {
  /** The number of its records. */
  total: string;
  /** A text that is another one whenever a record was added or removed. */
  version: string;
}

/** The source of a list. */
export interface ListSource<E extends ListedRecord> {
  getMany(rows: SelectQueryBuilder<E>, options: SelectOptions): Promise<Selected<E>>;
  kept?: KeptList & { positions: KeysetCache };
}
