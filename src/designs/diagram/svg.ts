import { type Block, type Line, type Point, type Size } from './block.js';
import { type Diagram, type DiagramEdge, type DiagramGroup, type DiagramNode } from './diagram.js';
import { renderHeader } from './header.js';
import { renderStyleSheet, type Theme } from './palette.js';
import { CARD, layoutCard, layoutHeading, layoutLabel, titleOf } from './text-layout.js';
import { escapeXml } from './display-text.js';

const MARGIN = 24;
const MIN_WIDTH = 420;
const ARROW = 3.2;
const HEADING_INSET = 14;
/** The maximum number of ids of a card; one that represents more lists the first. */
const MAX_IDS = 200;

/** Renders a diagram as a self-contained document: no scripts, no external resources, and all text of the design escaped. */
export function renderSvg(diagram: Diagram, block: Block, theme: Theme): string {
  const width = Math.ceil(Math.max(block.width, MIN_WIDTH) + 2 * MARGIN);
  const head = renderHeader(diagram, width - 2 * MARGIN);
  const height = Math.ceil(block.height + head.height + 2 * MARGIN);
  const { title, nodes, groups, edges } = diagram;
  const top = MARGIN + head.height;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(diagram.notes.join('. '))}.</desc>`,
    `<style>${renderStyleSheet(theme)}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">${head.svg}</g>`,
    `<g transform="translate(${MARGIN} ${top})">`,
    ...block.frames.map(({ group, at, size }) => renderFrame(groups[group] as DiagramGroup, at, size)),
    ...block.lines.map(({ edge, line }) => renderEdge(edges[edge] as DiagramEdge, nodes, line)),
    ...block.lines.map(({ edge, line }) => renderEdgeLabel(edges[edge] as DiagramEdge, line)),
    ...block.nodes.map(({ node, at }) => renderCard(nodes[node] as DiagramNode, at)),
    '</g>',
    '</svg>\n',
  ].join('\n');
}

function renderFrame(group: DiagramGroup, at: Point, { width, height }: Size): string {
  const { kind, name } = layoutHeading(group, width - HEADING_INSET);
  const said = `<tspan class="what">${escapeXml(kind)}</tspan> ${escapeXml(name)}`;
  return `<g class="frame"${componentAttributes(group.component === undefined ? [] : [group.component])} ${translateTo(at)}><title>${escapeXml(`${kind} ${group.name}`)}</title><rect width="${roundToTenth(width)}" height="${roundToTenth(height)}" rx="8"/><text class="heading" x="${HEADING_INSET}" y="23">${said}</text></g>`;
}

function renderCard(node: DiagramNode, at: Point): string {
  const { kind, name, badges, width, height } = layoutCard(node);
  const classes = [
    'card',
    node.mark?.colour ?? node.category,
    ...(node.isAnnotation ? ['annotation'] : []),
    ...(node.isFocus ? ['focus'] : []),
  ];
  const below = (line: number): number => CARD.kindLine + (line + 1) * CARD.nameLine;
  return [
    `<g class="${classes.join(' ')}"${componentAttributes(node.members.map(({ id }) => id))}${markAttribute(node)} ${translateTo(at)}>`,
    `<title>${escapeXml(titleOf(node))}</title>`,
    node.members.length > 1 ? `<rect x="4" y="4" width="${width}" height="${height}" rx="6"/>` : '',
    `<rect width="${width}" height="${height}" rx="6"/><rect class="stripe" x="4.5" y="7" width="3" height="${height - 14}" rx="1.5"/>`,
    `<text class="kind" x="${CARD.padding}" y="${CARD.kindLine}">${escapeXml(kind)}</text>`,
    ...name.map(
      (line, index) => `<text class="name" x="${CARD.padding}" y="${below(index)}">${escapeXml(line)}</text>`,
    ),
    ...badges.map(
      ({ text, title, x, y, ...size }) =>
        `<g class="badge" transform="translate(${x} ${y})"><title>${escapeXml(title)}</title><rect width="${size.width}" height="${size.height}" rx="8"/><text x="6" y="12.5">${escapeXml(text)}</text></g>`,
    ),
    '</g>',
  ].join('');
}

/** Links a card or frame to its components: `#component-<id>` is a fragment that highlights it, `data-components` has the ids of all. */
function componentAttributes(ids: readonly string[]): string {
  const known = ids.filter((id) => /^[\w.:-]{1,100}$/.test(id)).slice(0, MAX_IDS);
  const [first] = known;
  return first === undefined ? '' : ` id="component-${first}" data-components="${known.join(' ')}"`;
}

const markAttribute = ({ mark }: DiagramNode): string => (mark ? ` data-status="${escapeXml(mark.text)}"` : '');

function renderEdge({ from, to, labels, isParent }: DiagramEdge, nodes: readonly DiagramNode[], line: Line): string {
  const [start = line.tip, ...others] = line.curve;
  const end = others.at(-1) ?? start;
  const said = `${titleOf(nodes[from])} → ${titleOf(nodes[to])}: ${labels.join(', ')}`;
  const way = others.length === 0 ? '' : ` C${others.map(formatPoint).join(' ')}`;
  return `<g class="edge${isParent ? ' parent' : ''}"><title>${escapeXml(said)}</title><path d="M${formatPoint(start)}${way}"/><polygon points="${arrowheadPoints(end, line.tip)}"/></g>`;
}

/** Renders the label of an edge, above all edges. */
function renderEdgeLabel(edge: DiagramEdge, { label }: Line): string {
  const said = layoutLabel(edge);
  if (!label || !said) return '';
  return `<g class="edge"><text x="${roundToTenth(label[0])}" y="${roundToTenth(label[1] + 4)}">${escapeXml(said.text)}</text></g>`;
}

/** A triangle on the end of a curve. */
function arrowheadPoints(from: Point, tip: Point): string {
  const [x, y] = [tip[0] - from[0], tip[1] - from[1]];
  const length = Math.hypot(x, y) || 1;
  const side: Point = [(-y / length) * ARROW, (x / length) * ARROW];
  const corners: Point[] = [[from[0] + side[0], from[1] + side[1]], tip, [from[0] - side[0], from[1] - side[1]]];
  return corners.map(formatPoint).join(' ');
}

const translateTo = (at: Point): string => `transform="translate(${at.map(roundToTenth).join(' ')})"`;
const formatPoint = (point: Point): string => point.map(roundToTenth).join(',');
const roundToTenth = (value: number): number => Math.round(value * 10) / 10;
