import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** When a server answers: in a stall, after its end. Times are milliseconds since the server began. */
export interface Timing {
  /** How long an answer takes. */
  service: () => number;
  /** The first second of each of so many milliseconds is a stall. */
  stallEvery?: number;
  /** When it ends its connections and refuses others, in milliseconds from the first request. */
  away?: { from: number; until: number };
}

const STALL_MS = 1_000;

/** A request as the server saw it. */
interface Seen {
  came: number;
  answered: number;
}

/** A server whose answers take a known time, and which knows what it did. */
export class TimedServer {
  private constructor(
    readonly url: string,
    private readonly began: number,
    private readonly seen: Seen[],
    readonly stop: () => void,
  ) {}

  static async start({ service, stallEvery = Infinity, away }: Timing): Promise<TimedServer> {
    const began = performance.now();
    const seen: Seen[] = [];
    const elapsed = (): number => performance.now() - began;
    const server = createServer((_, response) => {
      const request: Seen = { came: elapsed(), answered: Infinity };
      seen.push(request);
      setTimeout(
        () => {
          response.end('hello');
          request.answered = elapsed();
        },
        stallLeft(request.came, stallEvery) + service(),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    if (away) server.once('request', () => leave(server, port, away));
    const url = `http://127.0.0.1:${port}/`;
    return new TimedServer(url, began, seen, () => {
      server.closeAllConnections();
      server.close();
    });
  }

  /** Forgets what it was asked, and waits until so many milliseconds have passed since a stall began. */
  async prepare(phase: number, stallEvery: number): Promise<void> {
    const now = performance.now() - this.began;
    if (Number.isFinite(stallEvery)) await sleep((stallEvery + phase - (now % stallEvery)) % stallEvery);
    this.seen.length = 0;
  }

  /**
   * What an open model has to measure: how long after it was due each request was answered. Requests come in the order in which they
   * are due; the first was due when none has come before its time. Milliseconds, in ascending order.
   */
  openLatencies(rate: number): number[] {
    const due = (index: number): number => (index * 1_000) / rate;
    const first = Math.min(...this.seen.map(({ came }, index) => came - due(index)));
    return this.seen.map(({ answered }, index) => answered - first - due(index)).sort((a, b) => a - b);
  }
}

function leave(server: Server, port: number, { from, until }: { from: number; until: number }): void {
  setTimeout(() => {
    server.close();
    server.closeAllConnections();
  }, from);
  setTimeout(() => server.listen(port, '127.0.0.1'), until);
}

function stallLeft(time: number, stallEvery: number): number {
  if (!Number.isFinite(stallEvery)) return 0;
  const phase = time % stallEvery;
  return phase < STALL_MS ? STALL_MS - phase : 0;
}
