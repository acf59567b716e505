/** Writes items in groups, one group at a time: items that are added during a write form the next group. */
export class GroupedWrites<T> {
  private next: { items: T[]; written: Promise<void> } | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly write: (items: T[]) => Promise<void>) {}

  /** Resolves when these items have been written. @throws the error of the write of their group */
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
