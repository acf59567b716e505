/** Whether everything is tried, as `.ci/long` does before a release; other runs try a part, spread over all of it. */
export const isLongRun = process.env['LONG_RUN'] === '1';

/** Every fourth, or all. */
export function partOf<T>(items: readonly T[]): T[] {
  return items.filter((_item, index) => isLongRun || index % 4 === 0);
}

/** A number of inputs or results among all, or what a part of them has at least. */
export function countOf(all: number): number {
  return isLongRun ? all : Math.floor(all / 6);
}
