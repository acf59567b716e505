import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { hasBegunResponse } from './begun-response.js';

it('tells on a socket whether Node.js has begun a response', async () => {
  const server = createServer((request, response) => {
    const before = hasBegunResponse(request.socket);
    response.write('a part');
    seen.push(before, hasBegunResponse(request.socket));
    response.end();
  });
  const seen: boolean[] = [];
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(client.resume(), 'close');
  server.close();
  expect(seen).toEqual([false, true]);
});
