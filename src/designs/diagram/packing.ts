import { combineBlocks, type Block, EMPTY_BLOCK, type Point, type Size } from './block.js';

/** The target aspect ratio: that of a screen. */
const ASPECT_RATIO = 1.5;
/** The widths to try, relative to that of a packing without gaps. */
const WIDTH_FACTORS = [0.85, 0.95, 1, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2];

interface Packing extends Size {
  places: Point[];
}

/** Packs blocks side by side and below one another, in about the aspect ratio of a screen; the first come first. */
export function packBlocks(blocks: readonly Block[], gap: number): Block {
  const [only] = blocks;
  if (!only) return EMPTY_BLOCK;
  if (blocks.length === 1) return only;
  const widest = Math.max(...blocks.map(({ width }) => width));
  const area = blocks.reduce((sum, { width, height }) => sum + (width + gap) * (height + gap), 0);
  const ideal = Math.sqrt(area * ASPECT_RATIO);
  const widths = new Set(WIDTH_FACTORS.map((part) => Math.ceil(Math.max(widest, ideal * part))));
  const tried = [...widths].map((width) => packInto(width, blocks, gap));
  const best = tried.reduce((one, other) => (costOf(other) < costOf(one) ? other : one));
  return combineBlocks(
    best,
    blocks.map((block, index) => ({ block, at: best.places[index] ?? [0, 0] })),
  );
}

/** The score of a packing: wasted space on the smallest screen that shows it, and within its own bounds. */
const costOf = ({ width, height }: Size): number =>
  ASPECT_RATIO * Math.max(width / ASPECT_RATIO, height) ** 2 + width * height;

/** Places each as high as possible, then as far left as possible (the skyline method). */
function packInto(limit: number, sizes: readonly Size[], gap: number): Packing {
  let skyline: { x: number; y: number }[] = [{ x: 0, y: 0 }];
  const places: Point[] = [];
  const whole: Size = { width: 0, height: 0 };
  for (const { width, height } of sizes) {
    const [x, y] = findHighestPosition(skyline, width + gap, limit + gap);
    const right = x + width + gap;
    const beyond = [...skyline].reverse().find((each) => each.x <= right) ?? { x: 0, y: 0 };
    skyline = [
      ...skyline.filter((each) => each.x < x),
      { x, y: y + height + gap },
      ...(right < limit ? [{ x: right, y: beyond.y }] : []),
      ...skyline.filter((each) => each.x > right),
    ];
    places.push([x, y]);
    whole.width = Math.max(whole.width, x + width);
    whole.height = Math.max(whole.height, y + height);
  }
  return { ...whole, places };
}

/** Each step of the skyline extends to the next; the width includes the gap to the right neighbor. */
function findHighestPosition(skyline: readonly { x: number; y: number }[], width: number, limit: number): Point {
  let best: Point | undefined;
  for (const [index, { x }] of skyline.entries()) {
    if (x + width > limit) break;
    let y = 0;
    for (let below = index; below < skyline.length; below += 1) {
      const step = skyline[below];
      if (!step || step.x >= x + width) break;
      y = Math.max(y, step.y);
    }
    if (!best || y < best[1]) best = [x, y];
  }
  return best ?? [0, Math.max(...skyline.map(({ y }) => y))];
}
