interface Segment {
  text: string;
  rank: number;
}

const ENDED = -1;

/** Ranks a segment by how much it matches: plain text, a parameter, a wildcard. */
function rankSegment(segment: string): number {
  if (/[*{]/.test(segment)) return 2;
  return segment.includes(':') ? 1 : 0;
}

/** Caches parsed routes, because each is compared with all others. */
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

/** Orders routes: at the first segment of a different kind, plain text precedes a parameter. */
export function compareRoutes(a: string, b: string): number {
  const [first, second] = [split(a), split(b)];
  for (let index = 0; index < Math.max(first.length, second.length); index++) {
    const difference = (first[index]?.rank ?? ENDED) - (second[index]?.rank ?? ENDED);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Reports whether two routes match the same paths, that is, differ at most in parameter names. */
export const isSameRoute = (a: string, b: string): boolean => normalize(a) === normalize(b);

const normalize = (path: string): string => path.replace(/:\w+/g, ':');

/** Reports whether the paths of `narrow` are a proper subset of the paths of `wide`. */
export function isNarrower(narrow: string, wide: string): boolean {
  const [inner, outer] = [split(narrow), split(wide)];
  if (inner.length !== outer.length) return false;
  const isWithin = outer.every(({ text, rank }, index) => {
    const other = inner[index];
    return text === other?.text || (rank === 1 && (other?.rank ?? ENDED) <= 1);
  });
  return isWithin && !isSameRoute(narrow, wide);
}
