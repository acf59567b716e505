import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.js';

type Way = 'refuse' | 'swallow';

/** Stands between a server and its database, and takes the database away: by refusing connections, or by swallowing what is sent. */
export class DatabaseProxy {
  /** Connections that were asked for, refused ones included where the proxy can see them. */
  attempts = 0;
  private readonly pairs = new Set<[Socket, Socket]>();
  private listener: Server;
  private isSwallowing = false;

  private constructor(
    private readonly target: URL,
    private readonly port: number,
    listener: Server,
  ) {
    this.listener = listener;
    this.listen(listener);
  }

  /** In front of the database of this URL, whether it is on a Unix socket or on TCP. */
  static async before(url: string): Promise<DatabaseProxy> {
    // While it refuses, nobody else may be given its port.
    const port = await freePort();
    const listener = createServer().listen(port, '127.0.0.1');
    await once(listener, 'listening');
    return new DatabaseProxy(new URL(url), port, listener);
  }

  get url(): string {
    const url = new URL(this.target);
    url.searchParams.delete('host');
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.pairs.size;
  }

  async takeAway(way: Way): Promise<void> {
    if (way === 'swallow') {
      this.isSwallowing = true;
      for (const pair of this.pairs) for (const socket of pair) socket.pause();
      return;
    }
    const closed = once(this.listener, 'close');
    this.listener.close();
    this.hangUp();
    await closed;
  }

  async giveBack(): Promise<void> {
    if (this.isSwallowing) {
      this.isSwallowing = false;
      // As behind a router that has lost its state: what was connected before stays dead.
      this.hangUp();
      return;
    }
    this.listener = createServer().listen(this.port, '127.0.0.1');
    this.listen(this.listener);
    await once(this.listener, 'listening');
  }

  async stop(): Promise<void> {
    this.isSwallowing = false;
    this.hangUp();
    if (this.listener.listening) await new Promise((resolve) => this.listener.close(resolve));
  }

  private listen(listener: Server): void {
    listener.on('connection', (near) => {
      this.attempts++;
      const folder = this.target.searchParams.get('host');
      const port = this.target.port || '5432';
      const far = folder
        ? createConnection(join(folder, `.s.PGSQL.${port}`))
        : createConnection(Number(port), this.target.hostname);
      const pair: [Socket, Socket] = [near, far];
      this.pairs.add(pair);
      for (const [from, to] of [pair, [far, near] as const]) {
        from.on('data', (bytes) => to.write(bytes));
        from.on('error', () => undefined);
        from.once('close', () => {
          to.destroy();
          this.pairs.delete(pair);
        });
      }
      if (this.isSwallowing) for (const socket of pair) socket.pause();
    });
  }

  private hangUp(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }
}
