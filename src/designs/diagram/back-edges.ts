export interface Link {
  from: number;
  to: number;
}

/** Positions of links that close a cycle in a depth-first search; removing them leaves no cycle. */
export function findBackEdges(count: number, links: readonly Link[]): Set<number> {
  const leaving: number[][] = Array.from({ length: count }, () => []);
  for (const [position, { from }] of links.entries()) leaving[from]?.push(position);
  const back = new Set<number>();
  const states = new Array<'open' | 'done' | undefined>(count);
  for (const start of leaving.keys()) {
    if (states[start]) continue;
    const path = [{ node: start, next: 0 }];
    states[start] = 'open';
    for (let here = path.at(-1); here; here = path.at(-1)) {
      const position = leaving[here.node]?.[here.next];
      here.next += 1;
      if (position === undefined) {
        states[here.node] = 'done';
        path.pop();
        continue;
      }
      const to = links[position]?.to ?? 0;
      if (states[to] === 'open') back.add(position);
      if (states[to]) continue;
      states[to] = 'open';
      path.push({ node: to, next: 0 });
    }
  }
  return back;
}
