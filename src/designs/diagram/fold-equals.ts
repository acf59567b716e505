import { type Diagram, type DiagramEdge, type DiagramGroup, type DiagramNode, groupItemsBy } from './diagram.js';
import { mergeEdges } from './merge-edges.js';

/** Minimum number of equal nodes that are folded. */
const MIN_EQUAL = 5;

/** Whether unconnected nodes are folded as well. */
export interface FoldOptions {
  unlinked: boolean;
}

/** Folds nodes, and frames with their content, that differ only in their names into one with a count. */
export function foldEquals(diagram: Diagram, options: FoldOptions): Diagram {
  return foldFrames(foldNodes(diagram, options), options);
}

/** Folds nodes of one kind in one frame that have equal edges. */
function foldNodes(diagram: Diagram, { unlinked }: FoldOptions): Diagram {
  const ends = describeEnds(diagram.edges);
  const keyOf = (index: number): string => {
    const { group, kind, isAnnotation, isFocus, mark } = diagram.nodes[index] as DiagramNode;
    const own = ends.get(index)?.sort() ?? [];
    return own.length === 0 && !unlinked ? `${index}` : JSON.stringify([group, kind, isAnnotation, isFocus, mark, own]);
  };
  const equals = [...groupItemsBy(diagram.nodes.keys(), keyOf).values()].filter(({ length }) => length >= MIN_EQUAL);
  return merge(diagram, equals);
}

/** Folds frames whose nodes, in their order, have the same kinds and equal edges, both inside and to the outside. */
function foldFrames(diagram: Diagram, { unlinked }: FoldOptions): Diagram {
  const { nodes, edges, groups } = diagram;
  const inside = groups.map(() => [] as number[]);
  for (const [index, { group }] of nodes.entries()) if (group !== undefined) inside[group]?.push(index);
  const places = new Map(inside.flatMap((members) => members.map((index, place) => [index, place] as const)));
  const ends = describeEnds(edges, (index, other) => {
    const [own, others] = [nodes[index]?.group, nodes[other]?.group];
    return own !== undefined && own === others ? `#${places.get(other)}` : `${other}`;
  });
  const isLinked = new Set(
    edges.filter(({ from, to }) => nodes[from]?.group !== nodes[to]?.group).flatMap(({ from, to }) => [from, to]),
  );
  const keyOf = (group: number): string => {
    const members = inside[group] ?? [];
    if (members.length === 0 || (!unlinked && !members.some((index) => isLinked.has(index)))) return `${group}`;
    return JSON.stringify([
      groups[group]?.kind,
      ...members.map((index) => {
        const { kind, isAnnotation, isFocus, mark } = nodes[index] as DiagramNode;
        return [kind, isAnnotation, isFocus, mark, ends.get(index)?.sort()];
      }),
    ]);
  };
  const equals = [...groupItemsBy(groups.keys(), keyOf).values()].filter(({ length }) => length >= MIN_EQUAL);
  const folded = merge(
    diagram,
    equals.flatMap((same) =>
      (inside[same[0] ?? 0] ?? []).map((_first, place) => same.flatMap((group) => inside[group]?.[place] ?? [])),
    ),
  );
  const headings = new Map(
    equals.map((same) => [same[0], foldHeadings(same.map((group) => groups[group] as DiagramGroup))]),
  );
  return { ...folded, groups: groups.map((group, index) => headings.get(index) ?? group) };
}

/** The edges of each node as keys; equal edges have equal keys. */
function describeEnds(
  edges: readonly DiagramEdge[],
  nameOf: (index: number, other: number) => string = (_index, other) => `${other}`,
): Map<number, string[]> {
  const ends = new Map<number, string[]>();
  const add = (index: number, end: string): void => void (ends.get(index)?.push(end) ?? ends.set(index, [end]));
  for (const { from, to, labels, isParent } of edges) {
    const said = JSON.stringify([labels, isParent]);
    add(from, `>${nameOf(from, to)} ${said}`);
    add(to, `<${nameOf(to, from)} ${said}`);
  }
  return ends;
}

/** Replaces each set of nodes by its first node. */
function merge(diagram: Diagram, sets: readonly (readonly number[])[]): Diagram {
  if (sets.length === 0) return diagram;
  const firsts = new Map(sets.flatMap((set) => set.map((index) => [index, set[0] ?? index] as const)));
  const kept = [...diagram.nodes.keys()].filter((index) => (firsts.get(index) ?? index) === index);
  const positions = new Map(kept.map((index, position) => [index, position]));
  const at = (index: number): number => positions.get(firsts.get(index) ?? index) ?? 0;
  const folded = new Map(
    sets.map((set) => [set[0], foldCards(set.map((index) => diagram.nodes[index] as DiagramNode))]),
  );
  return {
    ...diagram,
    nodes: kept.map((index) => folded.get(index) ?? (diagram.nodes[index] as DiagramNode)),
    edges: mergeEdges(diagram.edges.map((edge) => ({ ...edge, from: at(edge.from), to: at(edge.to) }))),
  };
}

function foldCards(nodes: readonly DiagramNode[]): DiagramNode {
  const [first] = nodes as [DiagramNode];
  const members = nodes.flatMap((node) => node.members);
  const name = listNames(members.map((member) => member.name));
  return { ...first, count: members.length, name, members };
}

function foldHeadings(groups: readonly DiagramGroup[]): DiagramGroup {
  return { kind: groups[0]?.kind ?? '', count: groups.length, name: listNames(groups.map(({ name }) => name)) };
}

/** The number of names to list; more than fit. */
const MAX_LISTED = 20;

/** Factors out a common prefix: `dashboard-… apiserver, etcd, nodes`. */
function listNames(names: readonly string[]): string {
  const prefix = commonPrefix(names);
  const listed = names.slice(0, MAX_LISTED).map((name) => name.slice(prefix.length));
  return `${prefix === '' ? '' : `${prefix}… `}${listed.join(', ')}${names.length > MAX_LISTED ? ', …' : ''}`;
}

/** The common prefix up to its last separator; each name must continue after it. */
function commonPrefix(names: readonly string[]): string {
  let prefix = names[0] ?? '';
  for (const name of names) while (!name.startsWith(prefix)) prefix = prefix.slice(0, -1);
  const whole = /^.*[-./:_ ]/su.exec(prefix)?.[0] ?? '';
  return whole.length >= 4 && names.every((name) => name.length > whole.length) ? whole : '';
}
