import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatServerSentEvent, ServerSentEvents } from './server-sent-events.js';

type Work = (events: ServerSentEvents, response: ServerResponse) => Promise<void>;

const serve = async (work: Work): Promise<Server> => {
  const server = createServer((_, response) => void work(new ServerSentEvents(response, 200), response)).listen(0);
  await once(server, 'listening');
  return server;
};

const ask = async (server: Server): Promise<IncomingMessage> => {
  const request = get({ port: (server.address() as AddressInfo).port });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
};

describe('server-sent events', () => {
  it('are written as the standard says', async () => {
    const server = await serve(async (events) => {
      await events.begin('a:1');
      await events.send(formatServerSentEvent('a:2', { text: 'two\nlines' }));
      events.end();
    });
    const response = await ask(server);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
    });
    const text = (await response.setEncoding('utf8').toArray()).join('');
    expect(text).toBe('id: a:1\n\nid: a:2\ndata: {"text":"two\\nlines"}\n\n');
    server.close();
  });

  it('hang up on a client that does not read', async () => {
    let sent = 0;
    let hungUp: () => void;
    const ended = new Promise<void>((resolve) => (hungUp = resolve));
    const server = await serve(async (events, connection) => {
      for (; !connection.destroyed; sent++)
        await events.send(formatServerSentEvent('a:1', { text: 'x'.repeat(100_000) }));
      hungUp();
    });
    const response = await ask(server);
    response.on('error', () => undefined);
    await ended;
    expect(sent).toBeLessThan(500);
    response.destroy();
    server.close();
  });
});
