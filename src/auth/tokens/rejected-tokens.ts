import type { Unauthenticated } from '../../core/errors/app-error.js';

const MAX_AGE_MS = 5_000;
const MAX_REMEMBERED = 10_000;

/** Recently rejected tokens, by their hashes, so that a client that repeats one causes no further lookup. */
export class RejectedTokens {
  private readonly remembered = new Map<string, { error: Unauthenticated; until: number }>();

  find(key: string): Unauthenticated | undefined {
    const found = this.remembered.get(key);
    return found && found.until > performance.now() ? found.error : undefined;
  }

  add(key: string, error: Unauthenticated): void {
    const oldest = this.remembered.size >= MAX_REMEMBERED ? this.remembered.keys().next().value : undefined;
    if (oldest !== undefined) this.remembered.delete(oldest);
    this.remembered.delete(key);
    this.remembered.set(key, { error, until: performance.now() + MAX_AGE_MS });
  }

  clear(): void {
    this.remembered.clear();
  }
}
