import type { Attributes, Edge, Graph, Viz } from '@viz-js/viz';
import { z } from 'zod';
import { findBackEdges, type Link } from './back-edges.js';
import { type Line, mapLine, type Point, type Size } from './block.js';

/** The input of the layout: sizes alone. No text of a design reaches Graphviz. */
export interface LayoutInput {
  boxes: (Size & { cluster?: number })[];
  /** The size of the heading of each cluster. */
  clusters: Size[];
  links: { from: number; to: number; label?: Size }[];
}

export interface LayoutResult extends Size {
  /** Upper left corners, in the order of the boxes. */
  boxes: Point[];
  clusters: { at: Point; size: Size }[];
  /** In the order of the links. */
  links: Line[];
}

const POINTS_PER_INCH = 72;
const GRAPH_ATTRIBUTES: Attributes = { rankdir: 'LR', nodesep: 0.22, ranksep: 0.9 };

/** Total ranks of links: the limit for routing around boxes, and the limit for the layout as a whole, over all scenes of a diagram (about 2 s). */
const MAX_RANK_SPAN = { routed: 600, drawn: 2500 };
const ZERO_SIZE: Size = { width: 0, height: 0 };

const numberListSchema = z.string().transform((text) => text.split(',').map(Number));
const layoutSchema = z.object({
  objects: z
    .array(z.object({ name: z.string(), pos: numberListSchema.optional(), bb: numberListSchema.optional() }))
    .default([]),
  edges: z.array(z.object({ id: z.string(), pos: z.string(), lp: numberListSchema.optional() })).default([]),
});

/** Arranges connected boxes with the dot engine. Runs in a worker, because nothing else bounds its time. */
export class Graphviz {
  private routed = 0;

  private constructor(private readonly viz: Viz) {}

  static async load(): Promise<Graphviz> {
    const { instance } = await import('@viz-js/viz');
    return new Graphviz(await instance());
  }

  /** @throws Error when Graphviz fails, and when all scenes together would take too long */
  arrange(scene: LayoutInput): LayoutResult {
    const tangle = totalRankSpan(scene.boxes.length, scene.links);
    this.routed += tangle;
    if (this.routed > MAX_RANK_SPAN.drawn) throw new Error('too tangled');
    const isRouted = tangle <= MAX_RANK_SPAN.routed;
    const graph = toGraph(scene, isRouted);
    const { objects, edges } = layoutSchema.parse(JSON.parse(this.viz.renderString(graph, { format: 'json0' })));
    const named = new Map(objects.map((each) => [each.name, each]));
    const boxes = scene.boxes.map(({ width, height }, index): Point => {
      const [x = 0, y = 0] = named.get(`box${index}`)?.pos ?? [];
      return [x - width / 2, -y - height / 2];
    });
    const clusters = scene.clusters.map((_heading, index) => {
      const [left = 0, bottom = 0, right = 0, top = 0] = named.get(`cluster${index}`)?.bb ?? [];
      return { at: [left, -top] as const, size: { width: right - left, height: top - bottom } };
    });
    const lines = new Map(
      edges.map(({ id, pos, lp }) => [id, isRouted ? parseLine(pos, lp) : bendThroughLabel(parseLine(pos, lp))]),
    );
    const links = scene.links.map((_link, index) => lines.get(`link${index}`) ?? { curve: [], tip: [0, 0] as const });
    return normalize(scene, { boxes, clusters, links });
  }
}

/** Moves the scene to the origin, and measures it. */
function normalize(
  scene: LayoutInput,
  { boxes, clusters, links }: Pick<LayoutResult, 'boxes' | 'clusters' | 'links'>,
): LayoutResult {
  const areas = [
    ...boxes.map((at, index) => ({ at, size: scene.boxes[index] ?? ZERO_SIZE })),
    ...clusters,
    ...links.flatMap(({ curve, label, tip }, index) => [
      ...[...curve, tip].map((at) => ({ at, size: ZERO_SIZE })),
      ...(label ? [toCorner(label, scene.links[index]?.label ?? ZERO_SIZE)] : []),
    ]),
  ];
  const left = minimum(areas.map(({ at }) => at[0]));
  const top = minimum(areas.map(({ at }) => at[1]));
  const move = ([x, y]: Point): Point => [x - left, y - top];
  return {
    width: -minimum(areas.map(({ at, size }) => -at[0] - size.width)) - left,
    height: -minimum(areas.map(({ at, size }) => -at[1] - size.height)) - top,
    boxes: boxes.map(move),
    clusters: clusters.map(({ at, size }) => ({ at: move(at), size })),
    links: links.map((line) => mapLine(line, move)),
  };
}

function toGraph({ boxes, clusters, links }: LayoutInput, isRouted: boolean): Graph {
  const back = findBackEdges(boxes.length, links);
  const nodes = boxes.map(({ width, height }, index) => ({
    name: `box${index}`,
    attributes: { width: width / POINTS_PER_INCH, height: height / POINTS_PER_INCH },
  }));
  return {
    graphAttributes: { ...GRAPH_ATTRIBUTES, splines: isRouted || 'line' },
    nodeAttributes: { shape: 'box', fixedsize: true, label: '' },
    edgeAttributes: { arrowsize: 0.8 },
    nodes,
    subgraphs: clusters.map((header, index) => ({
      name: `cluster${index}`,
      graphAttributes: { label: placeholderLabel(header), labeljust: 'l', margin: 14 },
      nodes: nodes.filter((_node, node) => boxes[node]?.cluster === index).map(({ name }) => ({ name })),
    })),
    edges: links.map((link, index) => toEdge(link, `link${index}`, back.has(index))),
  };
}

/** Edges leave to the right and arrive from the left; back edges are drawn reversed, with the arrow at the start. */
function toEdge({ from, to, label }: LayoutInput['links'][number], id: string, isBack: boolean): Edge {
  const attributes: Attributes = { id, ...(label ? { label: placeholderLabel(label) } : {}) };
  if (from === to) return { tail: `box${from}`, head: `box${to}`, attributes };
  const sides = { tailport: 'e', headport: 'w' };
  return isBack
    ? { tail: `box${to}`, head: `box${from}`, attributes: { ...attributes, ...sides, dir: 'back' } }
    : { tail: `box${from}`, head: `box${to}`, attributes: { ...attributes, ...sides } };
}

/** A placeholder label that only reserves space. */
function placeholderLabel({ width, height }: Size): { html: string } {
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}"`;
  return {
    html: `<table border="0" cellborder="0" cellpadding="0" fixedsize="true" ${size}><tr><td></td></tr></table>`,
  };
}

/** `e,12,3 1,2 3,4 …`: the tip of the arrow (`s,` at the start), then the points of the curve. */
function parseLine(pos: string, lp: number[] | undefined): Line {
  const parts = pos.split(' ');
  const points = parts.map((each) =>
    toPoint(
      each
        .replace(/^[es],/, '')
        .split(',')
        .map(Number),
    ),
  );
  const curve = points.filter((_point, index) => !/^[es]/.test(parts[index] ?? ''));
  if (parts.some((each) => each.startsWith('s,'))) curve.reverse();
  const tip = points.find((_point, index) => /^[es]/.test(parts[index] ?? '')) ?? curve.at(-1) ?? [0, 0];
  return { curve, tip, ...(lp ? { label: toPoint(lp) } : {}) };
}

/** A straight line bent through its label. */
function bendThroughLabel({ curve, tip, label }: Line): Line {
  const [start, end] = [curve[0] ?? tip, curve.at(-1) ?? tip];
  if (!label) return { curve, tip };
  const [before, after] = [(label[0] - start[0]) / 2, (end[0] - label[0]) / 2];
  const first: Point[] = [start, [start[0] + before, start[1]], [label[0] - before, label[1]], label];
  return { curve: [...first, [label[0] + after, label[1]], [end[0] - after, end[1]], end], tip, label };
}

/** The y axis of Graphviz points up. */
const toPoint = ([x = 0, y = 0]: number[]): Point => [x, -y];
const minimum = (values: readonly number[]): number => values.reduce((one, other) => Math.min(one, other), Infinity);
const toCorner = ([x, y]: Point, size: Size) => ({ at: [x - size.width / 2, y - size.height / 2] as const, size });

/** The total ranks of all links when each node is right of those that link to it: the routing effort of Graphviz. */
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
