import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to connections and to servers that ask for any, so that nobody is given one meanwhile. */
const [FIRST, LAST] = [20_000, 32_000];
const given = new Set<number>();

/** A port that nothing listens on at the moment, and that is given to nobody who does not ask for it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    await once(server.close(), 'close');
    return port;
  }
}
