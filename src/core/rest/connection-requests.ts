import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Requests on one connection, after which the client must open another. */
const MAX_REQUESTS = 200;
/** Requests that a client may send ahead of the answer to an earlier one. */
const MAX_WAITING = 20;

/**
 * The requests of one connection, which are handled one at a time, each in a turn of the event loop of its own: the parser
 * reads more than a thousand pipelined requests in one turn. A client that sends too many ahead gets the answer that is
 * underway; the connection is closed then, and the rest is dropped without an answer, as RFC 9112, section 9.6, allows.
 */
export class ConnectionRequests {
  private current?: ServerResponse;
  private waiting: [IncomingMessage, ServerResponse][] = [];
  private count = 0;
  private isClosing = false;

  constructor(private readonly handle: RequestListener) {}

  /** Whether an answer is being made. */
  get isBusy(): boolean {
    return this.current !== undefined;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    // The end of an earlier request lets the socket read again.
    if (this.isClosing) return void request.socket.pause();
    this.count += 1;
    if (this.count >= MAX_REQUESTS) response.shouldKeepAlive = false;
    if (!this.current) this.start(request, response);
    else if (this.waiting.length < MAX_WAITING) this.waiting.push([request, response]);
    else this.closeAfter(this.current);
  }

  private start(request: IncomingMessage, response: ServerResponse): void {
    this.current = response;
    response.on('close', () => {
      if (this.waiting.length > 0) setImmediate(() => this.startNext());
      else this.current = undefined;
    });
    this.handle(request, response);
  }

  private startNext(): void {
    this.current = undefined;
    const next = this.waiting.shift();
    if (!next) return;
    // An answer with "Connection: close" has closed it.
    if (next[0].socket.writable) this.start(...next);
    else this.drop();
  }

  private closeAfter(response: ServerResponse): void {
    this.drop();
    const { socket } = response;
    socket?.pause();
    response.shouldKeepAlive = false;
    response.once('close', () => socket?.destroy());
  }

  private drop(): void {
    this.isClosing = true;
    this.waiting = [];
  }
}
