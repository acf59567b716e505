/** Maps each id to its related records, in order. Ids that were not found are omitted: the caller may not see those records. */
export function toRelatedRecords<V>(pairs: Map<string, string[]>, found: Map<string, V>): Map<string, V[]> {
  return new Map(
    [...pairs].map(([left, rights]) => [
      left,
      rights.flatMap((right) => {
        const record = found.get(right);
        return record ? [record] : [];
      }),
    ]),
  );
}
