import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The maximum number of requests on one connection, after which it is closed. */
const MAX_REQUESTS = 200;
/** The maximum number of pipelined requests. */
const MAX_WAITING = 20;

/**
 * Handles the requests of one connection one at a time, each in its own turn of the event loop, because the parser
 * reads more than a thousand pipelined requests in one turn. When a client pipelines too many, the connection is
 * closed after the current response and the rest is dropped, as RFC 9112, section 9.6, allows.
 */
export class ConnectionRequests {
  private current?: ServerResponse;
  private waiting: [IncomingMessage, ServerResponse][] = [];
  private count = 0;
  private isClosing = false;

  constructor(private readonly handle: RequestListener) {}

  /** Reports whether a request is being handled. */
  get isBusy(): boolean {
    return this.current !== undefined;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    // The end of an earlier request resumes the socket.
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
    // A response with "Connection: close" has closed the socket.
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
