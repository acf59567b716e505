import { Socket } from 'node:net';
import autocannon from 'autocannon';
import { type CannonClient, driveClient, toCannonClient } from './cannon-client.js';

it('replaces what autocannon calls to connect and to send', async () => {
  const clients: CannonClient[] = [];
  const asked: string[] = [];
  const cannon = autocannon(
    {
      url: 'http://127.0.0.1:9',
      connections: 1,
      duration: 1,
      setupClient: (made) => {
        const client = toCannonClient(made);
        for (const name of ['_connect', '_doRequest'] as const) expect(typeof client[name]).toBe('function');
        for (const name of ['initialize', 'execute', 'finish'] as const)
          expect(typeof client.parser[name]).toBe('function');
        for (const name of ['addByteCount', 'addBody', 'clear'] as const)
          expect(typeof client.pipelinedRequests[name]).toBe('function');
        driveClient(client, {
          connect: () => {
            client.conn = new Socket();
            asked.push('connect');
          },
          send: () => asked.push('send'),
          isBodiless: () => false,
        });
        clients.push(client);
      },
    },
    () => undefined,
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  const [client] = clients;
  cannon.stop?.();
  expect(typeof client?.timeoutTicker.reschedule).toBe('function');
  expect(client?.timeout).toBeGreaterThan(0);
  client?._doRequest();
  expect(asked).toEqual(expect.arrayContaining(['connect', 'send']));
});
