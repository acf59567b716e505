/** Writes one group after another: what is added while a group is written is the next one. */
export class GroupedWrites<T> {
  private next: { items: T[]; written: Promise<void> } | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly write: (items: T[]) => Promise<void>) {}

  /** Resolves once these are written. @throws what writing their group has thrown */
  add(items: readonly T[]): Promise<void> {
    if (!this.next) {
      const group: T[] = [];
      const written = this.last.then(() => {
        this.next = null;
        return this.write(group);
      });
      this.last = written.catch(() => undefined);
      this.next = { items: group, written };
    }
    for (const item of items) this.next.items.push(item);
    return this.next.written;
  }
}
