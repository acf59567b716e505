import { isDeepStrictEqual } from 'node:util';

/** Those fields of a change that were sent and are not what the record has already. */
export function changedFields<T extends object>(record: T, change: Partial<T>): Partial<T> {
  const entries = Object.entries(change).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, record[field as keyof T]),
  );
  return Object.fromEntries(entries) as Partial<T>;
}
