import type { SelectQueryBuilder } from 'typeorm';
import { keysetCondition, toKeysetValue } from './cursor.js';
import type { KeysetCache } from './keyset-cache.js';
import type { ResolvedOrder } from './list-filters.js';
import type { ListedRecord, ListSource, Selected, SelectOptions } from './list-source.js';

/** Pages before this offset are as fast to read by offset. */
export const FAR_OFFSET = 500;

export interface FarPage<E> extends ResolvedOrder<E> {
  alias: string;
  offset: number;
  /** SQL of the list version; null for callers who do not see the whole list. */
  version: string;
  positions: KeysetCache;
}

/**
 * Reads a page far from the start of a list by key from the last cached position before it, instead of skipping all
 * rows before it. The same statement returns the list version; when it differs from the version of the position, the
 * page is read by offset.
 */
export async function readFarPage<E extends ListedRecord>(
  rows: SelectQueryBuilder<E>,
  source: ListSource<E>,
  { alias, column, direction, offset, version, positions }: FarPage<E>,
  options: SelectOptions,
): Promise<Selected<E>> {
  const list = JSON.stringify([rows.getParameters()['organizationId'], column.sql, direction]);
  const read = (from: SelectQueryBuilder<E>, skipped: number): Promise<Selected<E>> =>
    source.getMany(from.offset(skipped || undefined), {
      ...options,
      version,
      isNamed: options.isNamed && skipped === 0,
    });
  const keep = ({ records: [first], version: found }: Selected<E>): void => {
    if (first && found)
      positions.set(list, found, { offset, value: toKeysetValue(column.getValue(first)), id: first.id });
  };
  const known = positions.findBefore(list, offset);
  if (known) {
    const { position } = known;
    const near = rows.clone().andWhere(...keysetCondition({ column, direction }, alias, position, 'at'));
    const found = await read(near, offset - position.offset);
    if (found.version === known.version) {
      keep(found);
      return found;
    }
  }
  const found = await read(rows.clone(), offset);
  keep(found);
  return found;
}
