/** Of each record what it holds, in order, as far as it was found: what the caller may not see is left out. */
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
