/** Messages that go out in one turn of the event loop. */
const MAX_PER_TURN = 100;

/** Divides the messages of all sockets between turns of the event loop, so that one message to thousands of them lets others in. */
export class SendTurns {
  private waiting: (() => void)[] = [];

  /** Resolves in a later turn of the event loop. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) setImmediate(() => this.serve());
    });
  }

  private serve(): void {
    const served = this.waiting.slice(0, MAX_PER_TURN);
    this.waiting = this.waiting.slice(MAX_PER_TURN);
    for (const resolve of served) resolve();
    if (this.waiting.length > 0) setImmediate(() => this.serve());
  }
}
