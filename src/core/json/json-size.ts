import { INLINE_MAX_BYTES } from './json-chunks.js';

/** The overhead per value. */
const NODE_BYTES = 8;

/** Reports whether serializing a value at once would block the event loop for too long. */
export function isLargeJson(value: unknown): boolean {
  return remainingBudget(value, INLINE_MAX_BYTES) < 0;
}

/** Estimates the JSON size of a value in bytes; stops at `most`. */
export function estimateJsonBytes(value: unknown, most: number): number {
  return most - Math.max(remainingBudget(value, most), 0);
}

/** Subtracts the size of a value from the budget; returns early once it is negative. */
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
