import { estimateJsonBytes } from '../../../core/json/json-size.js';

/** The maximum size, as JSON, of all that an evaluation adds to a design, where the caller states no smaller one. */
export const DEFAULT_ADDED_BYTES = 5 * 1024 * 1024;

/** How much an evaluation may still add to a design. */
export class EvaluationBudget {
  constructor(private bytes: number) {}

  get remaining(): number {
    return this.bytes;
  }

  /**
   * Counts a part; false when there is no space for it. Patches copy values into values that they are copied from, so that a part of few
   * objects can be endless as text: it is written only once it is known to be bounded.
   */
  take(part: object): boolean {
    if (estimateJsonBytes(part, Math.max(this.bytes, 0) + 1) > this.bytes) return false;
    const size = Buffer.byteLength(JSON.stringify(part));
    if (size > this.bytes) return false;
    this.bytes -= size;
    return true;
  }
}
