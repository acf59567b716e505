import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { SocketOptions } from './socket-options.js';

/** Writes messages to a socket, and detects clients that do not read them. */
export class SocketWriter {
  private timer?: NodeJS.Timeout;
  private written = 0;
  private sent = 0;
  private ended = false;

  /** @param onSlow called when the client does not read; the writer then stops */
  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Duplex,
    private readonly options: Pick<SocketOptions, 'maxUnsentBytes' | 'maxUnsentMs'>,
    private readonly onSlow: () => void,
  ) {}

  write(text: string): void {
    if (this.ended) return;
    if (this.socket.bufferedAmount > this.options.maxUnsentBytes) return this.onSlow();
    this.written++;
    this.socket.send(text, this.countSent);
    if (!this.timer && this.socket.bufferedAmount > 0) this.watch();
  }

  /** Writes several messages with one system call. */
  writeAll(texts: string[]): void {
    this.stream.cork();
    for (const text of texts) this.write(text);
    this.stream.uncork();
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }

  private readonly countSent = (): void => {
    this.sent++;
  };

  private watch(): void {
    const { written } = this;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.sent < written) this.onSlow();
      else if (this.sent < this.written) this.watch();
    }, this.options.maxUnsentMs);
  }
}
