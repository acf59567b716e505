import { type Diagram, type DiagramBadge, type DiagramEdge, type DiagramNode } from './diagram.js';
import { formatCount } from './build-diagram.js';
import { titleOf } from './text-layout.js';

/**
 * Replaces the lines of hubs by badges: a node that more than `fan` nodes link to, or that links to more than `fan`, is named on
 * each of these instead. Lines between hubs, and within a small frame, stay.
 */
export function badgeHubs(diagram: Diagram, fan: number): Diagram {
  const { nodes, edges } = diagram;
  const hubs = { to: findHubs(edges, 'to', fan), from: findHubs(edges, 'from', fan) };
  const isHub = (index: number): boolean => hubs.to.has(index) || hubs.from.has(index);
  const sizes = new Map<number, number>();
  for (const { group } of nodes) if (group !== undefined) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const isNear = (from: number, to: number): boolean => {
    const group = nodes[from]?.group;
    return group !== undefined && group === nodes[to]?.group && (sizes.get(group) ?? 0) <= fan;
  };
  const isBadge = ({ from, to }: DiagramEdge): boolean =>
    (hubs.to.has(to) || hubs.from.has(from)) && !(isHub(from) && isHub(to)) && !isNear(from, to);
  const badged = edges.filter(isBadge);
  if (badged.length === 0) return diagram;
  const badges = nodes.map(({ badges: own }) => [...own]);
  const counts = new Map<number, { from: number; to: number }>();
  for (const { from, to, labels } of badged) {
    const [hub, other, end] = hubs.to.has(to) ? ([to, from, 'to'] as const) : ([from, to, 'from'] as const);
    const title = `${titleOf(nodes[from])} → ${titleOf(nodes[to])}: ${labels.join(', ')}`;
    badges[other]?.push({ text: `${end === 'to' ? '→' : '←'} ${nodes[hub]?.name ?? ''}`, title });
    const count = counts.get(hub) ?? { from: 0, to: 0 };
    count[end] += 1;
    counts.set(hub, count);
  }
  for (const [hub, count] of counts) badges[hub]?.push(...countBadges(count));
  return {
    ...diagram,
    notes: [
      ...diagram.notes,
      `${formatCount(badged.length, 'relationship')} with ${formatCount(counts.size, 'hub')} shown as → name on the cards`,
    ],
    nodes: nodes.map((node, index): DiagramNode => ({ ...node, badges: badges[index] ?? [] })),
    edges: edges.filter((edge) => !isBadge(edge)),
  };
}

function findHubs(edges: readonly DiagramEdge[], end: 'from' | 'to', fan: number): Set<number> {
  const counts = new Map<number, number>();
  for (const edge of edges) counts.set(edge[end], (counts.get(edge[end]) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > fan).map(([index]) => index));
}

/** The note of a hub about its own links. */
function countBadges({ from, to }: { from: number; to: number }): DiagramBadge[] {
  const say = (count: number, text: string, title: string): DiagramBadge[] => (count > 0 ? [{ text, title }] : []);
  return [
    ...say(to, `← ${to}`, `${formatCount(to, 'card')} lead here`),
    ...say(from, `→ ${from}`, `leads to ${formatCount(from, 'card')}`),
  ];
}
