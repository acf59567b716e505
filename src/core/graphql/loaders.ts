import DataLoader from 'dataloader';

const loadersByContext = new WeakMap<object, Map<string, DataLoader<string, unknown>>>();

/**
 * The loader of this name for one GraphQL operation, made when it is first asked for: fields of many parents are read
 * with one statement. It belongs to the operation's context, so nothing is kept from one caller to the next.
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
