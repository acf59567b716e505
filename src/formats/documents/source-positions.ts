import type { Json } from '../../core/json/json.js';

/** The offsets of the members and items of each container; filled while a document is built. */
export type NodeOffsets = Map<object, Map<string, number> | number[]>;

/** Flattens offsets into the `positions` of LocatedData: line, column and end of each node in the order in which `value` is walked. */
export function flattenPositions(
  value: Json,
  start: number,
  offsets: NodeOffsets,
  lineStarts: readonly number[],
): Uint32Array<ArrayBuffer> {
  const places: number[] = [];
  const visit = (node: Json, offset: number): void => {
    const at = places.length;
    const line = findLine(lineStarts, offset);
    places.push(line + 1, offset - (lineStarts[line] ?? 0) + 1, 0);
    if (typeof node === 'object' && node !== null) {
      const children = offsets.get(node);
      if (Array.isArray(node)) {
        node.forEach((item, index) => visit(item, (children as number[] | undefined)?.[index] ?? offset));
      } else {
        for (const key of Object.keys(node)) {
          visit(node[key] ?? null, (children as Map<string, number> | undefined)?.get(key) ?? offset);
        }
      }
    }
    places[at + 2] = places.length / 3;
  };
  visit(value, start);
  return Uint32Array.from(places);
}

/** Offsets of the line starts of a text. */
export function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Index of the line, from 0, of an offset. */
export function findLine(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
