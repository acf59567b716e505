/** Messages that go out in one turn of the event loop. */
const MAX_PER_TURN = 100;

/** Divides the messages of all sockets between turns of the event loop, so that one message to thousands of them lets others in. */
export class SendTurns {
  private waiting: { messages: number; resolve: () => void }[] = [];

  /** Resolves in a later turn of the event loop. @param messages how many have been sent */
  take(messages = 1): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push({ messages, resolve }) === 1) setImmediate(() => this.serve());
    });
  }

  private serve(): void {
    let served = 0;
    for (let messages = 0; served < this.waiting.length && messages < MAX_PER_TURN; served++) {
      const turn = this.waiting[served];
      messages += turn?.messages ?? 0;
      turn?.resolve();
    }
    this.waiting = this.waiting.slice(served);
    if (this.waiting.length > 0) setImmediate(() => this.serve());
  }
}
