import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A client that lets what was sent wait for longer is hung up on. */
const MAX_UNREAD_MS = 10_000;

/** One event as it is sent. */
export const formatServerSentEvent = (id: string, data: object): string =>
  `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

/** One answer as a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class ServerSentEvents {
  constructor(
    private readonly response: ServerResponse,
    private readonly longestUnreadMs = MAX_UNREAD_MS,
  ) {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // Compression and proxies would hold events back.
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }

  /** Sends the client the position to resume from, in case it receives nothing more; without data it is no event. */
  begin(id: string): Promise<void> {
    return this.write(`id: ${id}\n\n`);
  }

  /** Sends one event or several, and waits until they have left for the client. @param events of `formatServerSentEvent` */
  send(events: string): Promise<void> {
    return this.write(events);
  }

  /** Something to read for everyone between here and the client who hangs up on silence. */
  heartbeat(): void {
    if (!this.response.writableNeedDrain) this.response.write(': still here\n\n');
  }

  end(): void {
    this.response.end();
  }

  private async write(text: string): Promise<void> {
    if (this.response.write(text) || this.response.destroyed) return;
    const patience = new AbortController();
    const tooSlow = sleep(this.longestUnreadMs, true, { signal: patience.signal, ref: false }).catch(() => false);
    const read = Promise.race([once(this.response, 'drain', patience), once(this.response, 'close', patience)]);
    const slow = await Promise.race([tooSlow, read.then(() => false)]);
    patience.abort();
    if (slow) this.response.destroy();
  }
}
