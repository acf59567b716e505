/** Writes the latest of many values, rate-limited and one at a time. */
export class ProgressWriter {
  private next: object | null = null;
  private timer: NodeJS.Timeout | null = null;
  private writtenAt = -Infinity;
  private closed = false;

  constructor(
    private readonly write: (value: object) => Promise<void>,
    private readonly everyMs: () => number,
  ) {}

  report(value: object): void {
    this.next = value;
    this.schedule();
  }

  /** Stops writing. @returns the value that was not written */
  close(): object | null {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    return this.next;
  }

  private schedule(): void {
    if (this.closed || this.timer) return;
    const wait = Math.max(0, this.writtenAt + this.everyMs() - performance.now());
    this.timer = setTimeout(() => void this.flush(), wait);
  }

  private async flush(): Promise<void> {
    const value = this.next;
    this.writtenAt = performance.now();
    // After a failed write, the next write or the end of the job stores the progress.
    if (value) await this.write(value).catch(() => undefined);
    this.timer = null;
    if (this.next === value) this.next = null;
    else this.schedule();
  }
}
