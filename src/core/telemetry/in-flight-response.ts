/** One answer while it is made and sent: what it holds in memory, and when that ends. */
export class InFlightResponse {
  /** Bytes that it takes in memory. */
  bytes = 0;
  /** Bytes of the contents that it shows. */
  contentBytes = 0;
  /** Fields of the records in its lists, in GraphQL. */
  listedFields = 0;
  /** The user it is for, once it has contents. */
  caller?: string;
  /** Ends the answer when its caller does not read it; runs while the answer holds bytes. */
  sendTimeout?: NodeJS.Timeout;
  /** The contents that it has already, by their keys. */
  readonly contentKeys = new Set<string>();
  private closed = false;
  private listeners: (() => void)[] = [];

  /** @param abort ends the answer although its caller has not taken it */
  constructor(readonly abort: () => void) {}

  /** The client has disconnected. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** Calls back once, when what it holds is sent or its caller has gone. */
  onRelease(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Gives back what it holds; a subscription goes on with its next message. */
  release(): void {
    const listeners = this.listeners;
    this.listeners = [];
    for (const listener of listeners) listener();
    this.contentBytes = 0;
    this.listedFields = 0;
    this.contentKeys.clear();
  }

  /** The same for good. */
  close(): void {
    this.closed = true;
    this.release();
  }
}
