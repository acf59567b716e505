import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The connection is closed when the client does not read for longer. */
const MAX_UNREAD_MS = 10_000;

/** Formats one event. */
export const formatServerSentEvent = (id: string, data: object): string =>
  `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

/** Formats one event of a type of its own, from which nothing resumes. */
export const formatNamedEvent = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Why a stream ends that its client did not end. */
export type EndReason = 'rights_changed' | 'shutdown' | 'ended' | 'time_limit' | 'unreachable';

/** A response as a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class ServerSentEvents {
  constructor(
    private readonly response: ServerResponse,
    private readonly longestUnreadMs = MAX_UNREAD_MS,
  ) {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // Compression and buffering proxies would delay events.
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }

  /** Sends the position from which the client resumes if it receives no event. Without data, clients dispatch no event. */
  begin(id: string): Promise<void> {
    return this.write(`id: ${id}\n\n`);
  }

  /** Sends one or more events and waits until they are written. @param events formatted by `formatServerSentEvent` */
  send(events: string): Promise<void> {
    return this.write(events);
  }

  /** Sends a comment, so that proxies and clients do not close the connection as idle. */
  heartbeat(): void {
    if (!this.response.writableNeedDrain) this.response.write(': still here\n\n');
  }

  /** @param reason told to a client that did not end the stream */
  end(reason?: EndReason): void {
    // It has no id, so that the client resumes after the event before.
    this.response.end(reason && formatNamedEvent('end', { reason }));
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
