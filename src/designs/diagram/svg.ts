import { type Block, type Line, type Point } from './block.js';
import { type Diagram, type DiagramEdge, type DiagramGroup, type DiagramNode } from './diagram.js';
import { headOf } from './head.js';
import { styleOf, type Theme } from './palette.js';
import { CARD, cardOf, headingOf, labelOf } from './texts.js';
import { escaped } from './xml.js';

const MARGIN = 24;
const LEAST_WIDTH = 420;
const ARROW = 3.2;

/** A picture as a document of its own: no scripts, nothing from elsewhere, and no word of the design but as escaped text. */
export function svgOf(diagram: Diagram, block: Block, theme: Theme): string {
  const width = Math.ceil(Math.max(block.width, LEAST_WIDTH) + 2 * MARGIN);
  const head = headOf(diagram, width - 2 * MARGIN);
  const height = Math.ceil(block.height + head.height + 2 * MARGIN);
  const { title, nodes, groups, edges } = diagram;
  const top = MARGIN + head.height;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(diagram.notes.join('. '))}.</desc>`,
    `<style>${styleOf(theme)}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">${head.svg}</g>`,
    `<g transform="translate(${MARGIN} ${top})">`,
    ...block.frames.map(({ group, at, size }) => frame(groups[group] as DiagramGroup, at, size)),
    ...block.lines.map(({ edge, line }) => arrow(edges[edge] as DiagramEdge, nodes, line)),
    ...block.lines.map(({ edge, line }) => words(edges[edge] as DiagramEdge, line)),
    ...block.nodes.map(({ node, at }) => card(nodes[node] as DiagramNode, at)),
    '</g>',
    '</svg>\n',
  ].join('\n');
}

function frame(group: DiagramGroup, at: Point, { width, height }: { width: number; height: number }): string {
  const { kind, name } = headingOf(group);
  const said = `<tspan class="what">${escaped(kind)}</tspan> ${escaped(name)}`;
  return `<g class="frame" ${moved(at)}><title>${escaped(`${group.kind} ${group.name}`)}</title><rect width="${short(width)}" height="${short(height)}" rx="8"/><text class="heading" x="14" y="23">${said}</text></g>`;
}

function card(node: DiagramNode, at: Point): string {
  const { kind, name, width, height } = cardOf(node);
  const below = (line: number): number => CARD.kindLine + (line + 1) * CARD.nameLine;
  return [
    `<g class="card ${node.sort}${node.isAnnotation ? ' annotation' : ''}" ${moved(at)}>`,
    `<title>${escaped(`${node.kind} ${node.name}`)}</title>`,
    `<rect width="${width}" height="${height}" rx="6"/><rect class="stripe" x="4.5" y="7" width="3" height="${height - 14}" rx="1.5"/>`,
    `<text class="kind" x="${CARD.padding}" y="${CARD.kindLine}">${escaped(kind)}</text>`,
    ...name.map((line, index) => `<text class="name" x="${CARD.padding}" y="${below(index)}">${escaped(line)}</text>`),
    '</g>',
  ].join('');
}

function arrow({ from, to, labels, isParent }: DiagramEdge, nodes: readonly DiagramNode[], line: Line): string {
  const [start = line.tip, ...others] = line.curve;
  const end = others.at(-1) ?? start;
  const said = `${titleOf(nodes[from])} → ${titleOf(nodes[to])}: ${labels.join(', ')}`;
  const way = others.length === 0 ? '' : ` C${others.map(pair).join(' ')}`;
  return `<g class="edge${isParent ? ' parent' : ''}"><title>${escaped(said)}</title><path d="M${pair(start)}${way}"/><polygon points="${headPoints(end, line.tip)}"/></g>`;
}

/** The words of an edge stand above all edges. */
function words(edge: DiagramEdge, { label }: Line): string {
  const said = labelOf(edge);
  if (!label || !said) return '';
  return `<g class="edge"><text x="${short(label[0])}" y="${short(label[1] + 4)}">${escaped(said.text)}</text></g>`;
}

/** A triangle on the end of a curve. */
function headPoints(from: Point, tip: Point): string {
  const [x, y] = [tip[0] - from[0], tip[1] - from[1]];
  const length = Math.hypot(x, y) || 1;
  const side: Point = [(-y / length) * ARROW, (x / length) * ARROW];
  const corners: Point[] = [[from[0] + side[0], from[1] + side[1]], tip, [from[0] - side[0], from[1] - side[1]]];
  return corners.map(pair).join(' ');
}

const titleOf = (node: DiagramNode | undefined): string => `${node?.kind ?? ''} ${node?.name ?? ''}`;
const moved = (at: Point): string => `transform="translate(${at.map(short).join(' ')})"`;
const pair = (point: Point): string => point.map(short).join(',');
const short = (value: number): number => Math.round(value * 10) / 10;
