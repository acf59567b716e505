import { isDeepStrictEqual } from 'node:util';

/** Returns the fields of `change` that are set and differ from the record. */
export function changedFields<T extends object>(record: T, change: Partial<T>): Partial<T> {
  const entries = Object.entries(change).filter(
    ([field, value]) => value !== undefined && !isSameValue(value, record[field as keyof T]),
  );
  return Object.fromEntries(entries) as Partial<T>;
}

/** Times read from the database are of a subclass of Date, which deep equality never considers equal to a Date. */
function isSameValue(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : isDeepStrictEqual(a, b);
}
