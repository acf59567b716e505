import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request that arrived at a receiver. */
export interface Received {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

type Answering = (response: ServerResponse, received: Received) => void;

/** A server outside that events are sent to. It answers 204 unless said otherwise. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answering = (response) => void response.writeHead(204).end();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param tls a certificate and its key, to be called over TLS */
  static async start(tls?: { cert: string; key: string }): Promise<Receiver> {
    const server = tls ? createTlsServer(tls) : createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const receiver = new Receiver(server, `${tls ? 'https' : 'http'}://127.0.0.1:${port}`);
    server.on('tlsClientError', () => undefined);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url: path = '', headers } = request;
        const received = { at: Date.now(), path, headers, body: Buffer.concat(chunks).toString() };
        receiver.received.push(received);
        receiver.answer(response, received);
      });
    });
    return receiver;
  }

  /** What arrived at a path, parsed. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read bodies as a receiver would: without types
  bodies(path: string): any[] {
    return this.at(path).map(({ body }) => JSON.parse(body));
  }

  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
