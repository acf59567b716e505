/** Wakes one sleeper; a ring while nobody sleeps is remembered. */
export class WakeSignal {
  private isNotified = false;
  private wake: (() => void) | null = null;

  notify(): void {
    this.isNotified = true;
    this.wake?.();
  }

  /** Sleeps until the next ring, at most so long. */
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
