import { type Diagram, type DiagramEdge } from './diagram.js';

/** Connected nodes, by index. */
export type ConnectedNodes = readonly number[];

/** A diagram split into independently arranged parts. */
export interface DiagramPartition {
  /** Islands that lie in one group, by group. */
  withinGroups: Map<number, ConnectedNodes[]>;
  /** Islands of the page: nodes without a group, and groups with links to the outside. All nodes of a group are in one island. */
  acrossGroups: ConnectedNodes[];
}

type Link = readonly [number, number];

export function partitionDiagram({ nodes }: Diagram, edges: readonly DiagramEdge[]): DiagramPartition {
  const groupOf = (node: number): number | undefined => nodes[node]?.group;
  const links = edges.map(({ from, to }): Link => [from, to]);
  const isWithin = ([from, to]: Link): boolean => groupOf(from) === groupOf(to);
  const leaving = new Set(links.filter((link) => !isWithin(link)).flat());
  const inward = new Map<number, ConnectedNodes[]>();
  const outer: number[] = [];
  for (const island of findConnectedNodes([...nodes.keys()], links.filter(isWithin))) {
    const group = groupOf(island[0] ?? 0);
    if (group === undefined || island.some((node) => leaving.has(node))) outer.push(...island);
    else inward.set(group, [...(inward.get(group) ?? []), island]);
  }
  return {
    withinGroups: inward,
    acrossGroups: findConnectedNodes(outer, [...links, ...linksWithinGroups(outer, groupOf)]),
  };
}

/** Keeps the nodes of a group together. */
function linksWithinGroups(members: readonly number[], groupOf: (node: number) => number | undefined): Link[] {
  const firsts = new Map<number, number>();
  return members.flatMap((node): Link[] => {
    const group = groupOf(node);
    if (group === undefined) return [];
    const first = firsts.get(group) ?? node;
    firsts.set(group, first);
    return [[first, node]];
  });
}

/** In ascending order, each by its first member; links to other nodes are ignored. */
function findConnectedNodes(members: readonly number[], links: readonly Link[]): ConnectedNodes[] {
  const parents = new Map(members.map((member) => [member, member]));
  const rootOf = (member: number): number => {
    let root = member;
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root)) root = next;
    parents.set(member, root);
    return root;
  };
  for (const [one, other] of links) {
    if (!parents.has(one) || !parents.has(other)) continue;
    const roots = [rootOf(one), rootOf(other)];
    parents.set(Math.max(...roots), Math.min(...roots));
  }
  const islands = new Map<number, number[]>();
  for (const member of [...members].sort((one, other) => one - other)) {
    const island = islands.get(rootOf(member));
    if (island) island.push(member);
    else islands.set(member, [member]);
  }
  return [...islands.values()];
}
