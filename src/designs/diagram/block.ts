export interface Size {
  width: number;
  height: number;
}

export type Point = readonly [x: number, y: number];

/** A rectangle with positioned content, in pixels from its upper left corner. */
export interface Block extends Size {
  /** Upper left corners of nodes, by index of the diagram. */
  nodes: { node: number; at: Point }[];
  /** Frames of groups, by index of the diagram. */
  frames: { group: number; at: Point; size: Size }[];
  lines: { edge: number; line: Line }[];
}

/** The path of an edge. */
export interface Line {
  /** A start, and three points for each piece of a Bézier curve. */
  curve: Point[];
  /** The tip of the arrow; the curve ends before it. */
  tip: Point;
  /** The middle of the label. */
  label?: Point;
}

export const EMPTY_BLOCK: Readonly<Block> = { width: 0, height: 0, nodes: [], frames: [], lines: [] };

/** Combines several positioned blocks into one of this size. */
export function combineBlocks({ width, height }: Size, parts: readonly { block: Block; at: Point }[]): Block {
  const whole: Block = { width, height, nodes: [], frames: [], lines: [] };
  for (const { block, at } of parts) {
    const move = (point: Point): Point => [point[0] + at[0], point[1] + at[1]];
    for (const { node, at: own } of block.nodes) whole.nodes.push({ node, at: move(own) });
    for (const frame of block.frames) whole.frames.push({ ...frame, at: move(frame.at) });
    for (const { edge, line } of block.lines) whole.lines.push({ edge, line: mapLine(line, move) });
  }
  return whole;
}

export function mapLine({ curve, tip, label }: Line, move: (point: Point) => Point): Line {
  return { curve: curve.map(move), tip: move(tip), ...(label ? { label: move(label) } : {}) };
}
