/** The maximum number of messages sent in one turn of the event loop. */
const MAX_PER_TURN = 100;

/**
 * Distributes the messages of all sockets over turns of the event loop, so that a message to thousands of sockets
 * does not block it.
 */
export class SendTurns {
  private waiting: { messages: number; resolve: () => void }[] = [];

  /** Resolves when the caller may send, in a later turn of the event loop. @param messages the number of messages */
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
