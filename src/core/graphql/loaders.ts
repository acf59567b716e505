import DataLoader from 'dataloader';

const loadersByContext = new WeakMap<object, Map<string, DataLoader<string, unknown>>>();

/**
 * Returns the DataLoader of this name in the context of one GraphQL operation, created on first use. It batches the
 * reads of a field for many parents into one statement; nothing is shared between operations.
 */
export function getLoader<V>(
  context: object,
  name: string,
  load: (ids: readonly string[]) => Promise<Map<string, V>>,
  absent: V,
): DataLoader<string, V> {
  const own = loadersByContext.get(context) ?? new Map<string, DataLoader<string, unknown>>();
  loadersByContext.set(context, own);
  const found = own.get(name);
  if (found) return found as DataLoader<string, V>;
  const made = new DataLoader<string, V>(async (ids) => {
    const values = await load(ids);
    return ids.map((id) => values.get(id) ?? absent);
  });
  own.set(name, made);
  return made;
}
