/** The same numbers for the same seed on every machine. */
export class Random {
  private state: number;

  constructor(seed: string) {
    this.state = [...seed].reduce(
      (hash, character) => Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0,
      0x811c9dc5,
    );
  }

  /** From 0 up to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  pick<T>(values: readonly T[]): T | undefined {
    return values[Math.floor(this.next() * values.length)];
  }

  /** Some of the values, in an order of their own. */
  some<T>(values: readonly T[], most: number): T[] {
    const left = [...values];
    const taken: T[] = [];
    while (taken.length < most && left.length > 0) taken.push(...left.splice(Math.floor(this.next() * left.length), 1));
    return taken;
  }
}
