/** The known name that is closest to a mistyped one. */
export function findClosestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase().replaceAll('-', '_');
  let best: string | undefined;
  let least = Math.min(3, Math.ceil(name.length / 3)) + 1;
  if (name.length > 64) return undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const above = row;
    row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (above[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return row[right.length] ?? 0;
}
