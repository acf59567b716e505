import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** Bounds of the creation time and of the time of the last change. */
export interface TimeScope {
  from?: Date;
  to?: Date;
  updatedAfter?: Date;
}

/** Selects records that were created and changed within the given bounds. */
export function narrowByTimes<E extends ObjectLiteral>(
  rows: SelectQueryBuilder<E>,
  table: string,
  { from, to, updatedAfter }: TimeScope,
): void {
  if (from) rows.andWhere(`${table}.created_at >= :from`, { from });
  if (to) rows.andWhere(`${table}.created_at < :to`, { to });
  if (updatedAfter) rows.andWhere(`${table}.updated_at > :updatedAfter`, { updatedAfter });
}
