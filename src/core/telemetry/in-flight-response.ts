/** A response in progress: the memory that it holds, and its end. */
export class InFlightResponse {
  /** The memory that it holds. */
  bytes = 0;
  /** The size of the contents in it. */
  contentBytes = 0;
  /** The number of fields of listed records, in GraphQL. */
  listedFields = 0;
  /** Of the errors of a failed request the first of the highest status, for its line in the log. */
  failure?: { code: string; status?: number; cause?: unknown };
  /** The user who receives it, set when it has contents. */
  caller?: string;
  /** Aborts the response when the client does not read it; runs while the response holds memory. */
  sendTimeout?: NodeJS.Timeout;
  /** Keys of the contents that were read for it. */
  readonly contentKeys = new Set<string>();
  private closed = false;
  private listeners: (() => void)[] = [];

  /** @param abort ends the response before the client has received it */
  constructor(readonly abort: () => void) {}

  /** Whether the client has disconnected. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** Calls back once, when its content was sent or the client has disconnected. */
  onRelease(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Releases its memory; a subscription continues with its next message. */
  release(): void {
    const listeners = this.listeners;
    this.listeners = [];
    for (const listener of listeners) listener();
    this.contentBytes = 0;
    this.listedFields = 0;
    this.contentKeys.clear();
  }

  /** Releases its memory and marks it as closed. */
  close(): void {
    this.closed = true;
    this.release();
  }
}
