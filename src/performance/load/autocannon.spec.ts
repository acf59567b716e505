import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AutocannonLoad } from './autocannon.js';
import { mean, percentile } from './latency-histogram.js';
import type { LoadPlan } from './load-plan.js';
import { mergeSlices, type Slice } from './measurement.js';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function drive(endpoint: string, plan: Partial<LoadPlan>): Promise<Slice> {
  const slices: Slice[] = [];
  const fixed = { protocol: 'http/1.1', method: 'GET', timeout: 5, seconds: 2, connections: 5, rate: 50 } as const;
  const task = {
    generator: 'autocannon' as const,
    plan: { ...fixed, endpoint, model: 'open' as const, ...plan },
    headers: {},
    body: '',
  };
  await new AutocannonLoad({ ...task, address: '127.0.0.1' }, (slice) => slices.push(slice)).run();
  return mergeSlices(slices);
}

describe('load by autocannon', () => {
  it('sends what an open model asks for, and counts the wait of requests that a stall holds up', async () => {
    const began = performance.now();
    const url = await serve((_, response) => {
      // The server stalls in the first second.
      const left = 1_000 - (performance.now() - began);
      setTimeout(() => response.end('hello'), Math.max(0, left));
    });
    const { latencies, statuses, errors } = await drive(url, { connections: 2 });
    expect({ statuses, errors }).toEqual({ statuses: { '200': 100 }, errors: {} });
    // All that was due in the stall waited for its end; a closed loop would have seen two slow requests.
    expect(percentile(latencies, 75)).toBeGreaterThan(0.3);
    expect(latencies.max).toBeGreaterThan(0.7);
  });

  it('goes as fast as the answers come in a closed model, up to its rate', async () => {
    const url = await serve((_, response) => void setTimeout(() => response.end('hello'), 50));
    const free = await drive(url, { model: 'closed', rate: 5_000, connections: 4 });
    // Answers come after 50 ms: a connection makes 20 requests a second and no more.
    expect(free.latencies.count).toBeLessThanOrEqual(4 * 2 * 20 + 8);
    expect(free.latencies.count).toBeGreaterThan(20);
    expect(mean(free.latencies)).toBeGreaterThan(0.045);
    const bounded = await drive(url, { model: 'closed', rate: 10, connections: 4 });
    expect(bounded.latencies.count).toBeLessThanOrEqual(20);
  });

  it('counts answers of servers that close after each of them, and requests that a server drops', async () => {
    const closing = await serve((_, response) => void response.writeHead(200, { connection: 'close' }).end('hello'));
    expect((await drive(closing, { seconds: 1 })).statuses).toEqual({ '200': 50 });
    let count = 0;
    const dropping = await serve((request, response) => {
      count += 1;
      if (count % 2 === 0) request.socket.destroy();
      else response.end('hello');
    });
    const { statuses, errors } = await drive(dropping, { seconds: 1 });
    expect({ statuses, dropped: Object.values(errors) }).toEqual({ statuses: { '200': 25 }, dropped: [25] });
  });
});
