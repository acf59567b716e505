import type { Json } from '../../../core/json/json.js';
import { ValueJoin, type PathPair } from './value-join.js';
import { parsePath } from './component-path.js';

/**
 * The join that two lists of paths state, pairwise in their order; `matrix` has the strategies of each pair, `equal` by default.
 * Text with the reason when it is invalid.
 */
export function parseValueJoin(
  left: Json | undefined,
  right: Json | undefined,
  matrix: Json | undefined,
): ValueJoin | string {
  const [lefts, rights] = [left, right].map((list) => (Array.isArray(list) ? list.map(parsePath) : []));
  if (lefts === undefined || rights === undefined || lefts.length === 0 || lefts.length !== rights.length)
    return 'The two lists of paths are not of the same length.';
  const pairs: PathPair[] = [];
  for (const [index, from] of lefts.entries()) {
    const to = rights[index];
    if (from === undefined || to === undefined) return 'A path is not one.';
    pairs.push({ left: from, right: to, strategies: readStrategies(matrix, index) });
  }
  const agreement = new ValueJoin(pairs);
  return agreement.unknownStrategy === undefined
    ? agreement
    : `The strategy "${agreement.unknownStrategy}" is not known.`;
}

function readStrategies(matrix: Json | undefined, index: number): string[] {
  const row = Array.isArray(matrix) ? matrix[index] : undefined;
  const strategies = Array.isArray(row) ? row.filter((entry) => typeof entry === 'string') : [];
  return strategies.length === 0 ? ['equal'] : strategies;
}
