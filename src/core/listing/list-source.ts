import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { KeysetCache } from './keyset-cache.js';

export type ListedRecord = ObjectLiteral & { id: string };

export interface SelectOptions {
  /** Whether to use a prepared statement; set it when one plan suits all values. */
  isNamed: boolean;
  /** A count that the same statement returns: SQL with the parameters of the query, and a cache key. */
  total?: { key: string; toSql: () => string };
  /** SQL of the list version, which the same statement returns. */
  version?: string;
}

/** The records, and the requested total and version; those are undefined when their SQL is null or there is no record. */
export interface Selected<E> {
  records: E[];
  total?: number;
  version?: string;
}

/** SQL of the stored total and version of an unfiltered list; null for callers who do not see the whole list. */
export interface StoredTotal {
  /** SQL of the number of records. */
  total: string;
  /** SQL of a text that changes whenever a record is added or removed. */
  version: string;
}

/** The source of a list. */
export interface ListSource<E extends ListedRecord> {
  getMany(rows: SelectQueryBuilder<E>, options: SelectOptions): Promise<Selected<E>>;
  stored?: StoredTotal & { positions: KeysetCache };
}
