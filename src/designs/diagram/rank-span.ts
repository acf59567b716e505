import { findBackEdges, type Link } from './back-edges.js';

/** How many ranks all links together reach over when each node is right of those that link to it: what Graphviz has to route. */
export function totalRankSpan(count: number, links: readonly Link[]): number {
  const back = findBackEdges(count, links);
  const forward = links.map(({ from, to }, index) => (back.has(index) ? { from: to, to: from } : { from, to }));
  const straight = forward.filter(({ from, to }) => from !== to);
  const leaving: number[][] = Array.from({ length: count }, () => []);
  const awaited = new Array<number>(count).fill(0);
  for (const { from, to } of straight) {
    leaving[from]?.push(to);
    awaited[to] = (awaited[to] ?? 0) + 1;
  }
  const ranks = new Array<number>(count).fill(0);
  const ready = [...ranks.keys()].filter((node) => awaited[node] === 0);
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (const to of leaving[node] ?? []) {
      ranks[to] = Math.max(ranks[to] ?? 0, (ranks[node] ?? 0) + 1);
      awaited[to] = (awaited[to] ?? 0) - 1;
      if (awaited[to] === 0) ready.push(to);
    }
  }
  return straight.reduce((sum, { from, to }) => sum + Math.abs((ranks[to] ?? 0) - (ranks[from] ?? 0)), 0);
}
