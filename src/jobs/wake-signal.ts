/** Wakes one waiter; a signal without a waiter is remembered. */
export class WakeSignal {
  private isNotified = false;
  private wake: (() => void) | null = null;

  notify(): void {
    this.isNotified = true;
    this.wake?.();
  }

  /** Waits for the next signal, at most `ms` milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.isNotified) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      this.wake = null;
    }
    this.isNotified = false;
  }
}
