import { estimateJsonBytes } from '../../../core/json/json-size.js';

/** The maximum size, as JSON, of all that an evaluation adds to a design: an answer shows each part up to three times. */
const MAX_BYTES = 5 * 1024 * 1024;

/** How much an evaluation may still add to a design. */
export class EvaluationBudget {
  private remaining = MAX_BYTES;

  get isExceeded(): boolean {
    return this.remaining < 0;
  }

  /**
   * Counts a part; false when there is no space for it. Patches copy values into values that they are copied from, so that a part of few
   * objects can be endless as text: it is written only once it is known to be bounded.
   */
  hasSpaceFor(part: object): boolean {
    if (this.isExceeded) return false;
    const isBounded = estimateJsonBytes(part, this.remaining + 1) <= this.remaining;
    this.remaining -= isBounded ? Buffer.byteLength(JSON.stringify(part)) : MAX_BYTES + 1;
    return !this.isExceeded;
  }
}
