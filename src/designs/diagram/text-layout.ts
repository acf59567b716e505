import { type Size } from './block.js';
import { type DiagramBadge, type DiagramEdge, type DiagramGroup, type DiagramNode } from './diagram.js';
import { truncateToWidth, measureWidth, wrapText } from './display-text.js';

/** Font sizes, in pixels. */
export const FONT = { title: 18, note: 12, heading: 13, name: 13, kind: 11, label: 11 } as const;

/** The layout of a node, in pixels: a stripe, then its kind above its name. */
export const CARD = { width: 208, padding: 14, kindLine: 18, nameLine: 16, below: 10 } as const;

const HEADING = { padding: 6, height: 22, width: 360 };
const LABEL = { padding: 5, height: 16 };
const MAX_LINES = 3;
const TEXT_WIDTH = CARD.width - CARD.padding - 8;
const BADGE = { padding: 6, height: 17, gap: 4 };
/** The maximum number of badges on a card; the rest is counted. */
const MAX_BADGES = 8;
/** The maximum number of names in the title of a card. */
const MAX_TITLE_NAMES = 50;

/** The lines of a card. */
export interface CardLayout extends Size {
  kind: string;
  name: string[];
  badges: (DiagramBadge & Size & { x: number; y: number })[];
}

export function layoutCard(node: DiagramNode): CardLayout {
  const { name, badges } = node;
  const lines = wrapText(name, TEXT_WIDTH, FONT.name, MAX_LINES);
  const below = CARD.kindLine + lines.length * CARD.nameLine + CARD.below;
  const placed = layoutBadges(badges, below);
  const last = placed.at(-1);
  const height = last ? last.y + last.height + CARD.below : below;
  const kind = truncateToWidth(withCount(node), TEXT_WIDTH, FONT.kind);
  return { kind, name: lines, badges: placed, width: CARD.width, height };
}

/** `34 × ConfigMap` for several. */
const withCount = ({ kind, count }: { kind: string; count?: number }): string =>
  count === undefined ? kind : `${count.toLocaleString('en')} × ${kind}`;

/** Places badges side by side, in as many rows as needed. */
function layoutBadges(badges: readonly DiagramBadge[], top: number): CardLayout['badges'] {
  const further = badges.slice(MAX_BADGES);
  const shown = badges.slice(0, MAX_BADGES);
  if (further.length > 0)
    shown.push({ text: `+ ${further.length}`, title: further.map(({ title }) => title).join('\n') });
  const [left, right] = [CARD.padding, CARD.padding + TEXT_WIDTH];
  let [x, y] = [left, top];
  return shown.map(({ text, title }) => {
    const label = truncateToWidth(text, TEXT_WIDTH - 2 * BADGE.padding, FONT.label);
    const width = measureWidth(label, FONT.label) + 2 * BADGE.padding;
    if (x > left && x + width > right) [x, y] = [left, y + BADGE.height + BADGE.gap];
    const place = { text: label, title, x, y, width, height: BADGE.height };
    x += width + BADGE.gap;
    return place;
  });
}

/** The description of a node, with the names of its components. */
export function titleOf(node: DiagramNode | undefined): string {
  if (!node) return '';
  const names = node.members.map(({ name }) => name);
  if (names.length <= 1) return `${node.kind} ${node.name}`;
  return `${node.kind}: ${names.slice(0, MAX_TITLE_NAMES).join(', ')}${names.length > MAX_TITLE_NAMES ? ', …' : ''}`;
}

/** The heading of a frame, no longer than `room` where the width of the frame is known. */
export function layoutHeading(group: DiagramGroup, room = Infinity): Size & { kind: string; name: string } {
  const [kind, name] = [withCount(group), group.name];
  const most = room - measureWidth(`${kind} `, FONT.kind) - 2 * HEADING.padding;
  const shown = truncateToWidth(name, Math.min(HEADING.width, most), FONT.heading);
  const width = measureWidth(`${kind} `, FONT.kind) + measureWidth(shown, FONT.heading) + 2 * HEADING.padding;
  return { kind, name: shown, width, height: HEADING.height };
}

/** The label of an edge, if any. */
export function layoutLabel({ labels }: DiagramEdge): (Size & { text: string }) | undefined {
  const text = labels.join(', ');
  return text === ''
    ? undefined
    : { text, width: measureWidth(text, FONT.label) + 2 * LABEL.padding, height: LABEL.height };
}
