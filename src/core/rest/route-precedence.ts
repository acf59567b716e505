interface Segment {
  text: string;
  rank: number;
}

const ENDED = -1;

/** How much a segment of a route matches: its own text, any text, any number of segments. */
function rankSegment(segment: string): number {
  if (/[*{]/.test(segment)) return 2;
  return segment.includes(':') ? 1 : 0;
}

/** Each route is compared with all others. */
const known = new Map<string, readonly Segment[]>();

function split(path: string): readonly Segment[] {
  const found = known.get(path);
  if (found) return found;
  const segments = path
    .split('/')
    .slice(1)
    .map((text) => ({ text, rank: rankSegment(text) }));
  known.set(path, segments);
  return segments;
}

/** The order in which routes are tried: at the first segment where two differ in kind, text comes before a parameter. */
export function compareRoutes(a: string, b: string): number {
  const [first, second] = [split(a), split(b)];
  for (let index = 0; index < Math.max(first.length, second.length); index++) {
    const difference = (first[index]?.rank ?? ENDED) - (second[index]?.rank ?? ENDED);
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
  if (inner.length !== outer.length) return false;
  const isWithin = outer.every(({ text, rank }, index) => {
    const other = inner[index];
    return text === other?.text || (rank === 1 && (other?.rank ?? ENDED) <= 1);
  });
  return isWithin && !isSameRoute(narrow, wide);
}
