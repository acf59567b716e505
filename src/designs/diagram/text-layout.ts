import { type Size } from './block.js';
import { type DiagramEdge, type DiagramGroup, type DiagramNode } from './diagram.js';
import { truncateToWidth, measureWidth, wrapText } from './display-text.js';

/** Font sizes, in pixels. */
export const FONT = { title: 18, note: 12, heading: 13, name: 13, kind: 11, label: 11 } as const;

/** How a node is laid out, in pixels: a stripe, then its kind above its name. */
export const CARD = { width: 208, padding: 14, kindLine: 18, nameLine: 16, below: 10 } as const;

const HEADING = { padding: 6, height: 22, width: 360 };
const LABEL = { padding: 5, height: 16 };
const MAX_LINES = 3;
const TEXT_WIDTH = CARD.width - CARD.padding - 8;

/** The lines of a card. */
export interface CardLayout extends Size {
  kind: string;
  name: string[];
}

export function layoutCard({ kind, name }: DiagramNode): CardLayout {
  const lines = wrapText(name, TEXT_WIDTH, FONT.name, MAX_LINES);
  const height = CARD.kindLine + lines.length * CARD.nameLine + CARD.below;
  return { kind: truncateToWidth(kind, TEXT_WIDTH, FONT.kind), name: lines, width: CARD.width, height };
}

/** The line above what is in a frame. */
export function layoutHeading({ kind, name }: DiagramGroup): Size & { kind: string; name: string } {
  const shown = truncateToWidth(name, HEADING.width, FONT.heading);
  const width = measureWidth(`${kind} `, FONT.kind) + measureWidth(shown, FONT.heading) + 2 * HEADING.padding;
  return { kind, name: shown, width, height: HEADING.height };
}

/** The words on an edge, if there are any. */
export function layoutLabel({ labels }: DiagramEdge): (Size & { text: string }) | undefined {
  const text = labels.join(', ');
  return text === ''
    ? undefined
    : { text, width: measureWidth(text, FONT.label) + 2 * LABEL.padding, height: LABEL.height };
}
