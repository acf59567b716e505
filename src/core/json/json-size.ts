import { INLINE_MAX_BYTES } from './json-chunks.js';

/** What a value weighs beside its text. */
const NODE_BYTES = 8;

/** Whether writing a value as JSON would hold others up. */
export function isLargeJson(value: unknown): boolean {
  return remainingBudget(value, INLINE_MAX_BYTES) < 0;
}

/** About how many bytes a value has as JSON; stops at `most`. */
export function estimateJsonBytes(value: unknown, most: number): number {
  return most - Math.max(remainingBudget(value, most), 0);
}

/** The budget minus the size of a value; returns early once it is negative. */
function remainingBudget(value: unknown, budget: number): number {
  let rest = budget - NODE_BYTES;
  if (typeof value === 'string') return rest - value.length;
  if (typeof value !== 'object' || value === null) return rest;
  for (const key in value) {
    if (rest < 0) return rest;
    rest = remainingBudget((value as Record<string, unknown>)[key], rest - key.length);
  }
  return rest;
}
