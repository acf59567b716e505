/** How much a segment of a route matches: its own text, any text, any number of segments; -1 when the route has ended. */
function rankSegment(segment: string | undefined): number {
  if (segment === undefined) return -1;
  if (/[*{]/.test(segment)) return 2;
  return segment.includes(':') ? 1 : 0;
}

const split = (path: string): string[] => path.split('/').slice(1);

/** The order in which routes are tried: at the first segment where two differ in kind, text comes before a parameter. */
export function compareRoutes(a: string, b: string): number {
  const [first, second] = [split(a), split(b)];
  for (let index = 0; index < Math.max(first.length, second.length); index++) {
    const difference = rankSegment(first[index]) - rankSegment(second[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether two routes match the same paths: they differ in the names of parameters at most. */
export const isSameRoute = (a: string, b: string): boolean => normalize(a) === normalize(b);

const normalize = (path: string): string => path.replace(/:\w+/g, ':');

/** Whether every path of `narrow` is one of `wide`, and not the other way round. */
export function isNarrower(narrow: string, wide: string): boolean {
  const [inner, outer] = [split(narrow), split(wide)];
  if (inner.length !== outer.length || isSameRoute(narrow, wide)) return false;
  return outer.every(
    (segment, index) => segment === inner[index] || (rankSegment(segment) === 1 && rankSegment(inner[index]) <= 1),
  );
}
