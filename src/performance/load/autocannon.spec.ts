import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AutocannonLoad } from './autocannon.js';
import { mean, percentile } from './latency-histogram.js';
import type { LoadPlan } from './load-plan.js';
import { type Measurement, mergeSlices, type Slice, sumOf } from './measurement.js';
import { stallsOf, summarize } from './runner-results.js';
import { secondsOfStalls } from './stalls.js';

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

const drive = async (endpoint: string, plan: Partial<LoadPlan>): Promise<Slice> =>
  mergeSlices((await measure(endpoint, plan)).slices);

async function measure(endpoint: string, plan: Partial<LoadPlan>): Promise<Required<Measurement>> {
  const slices: Slice[] = [];
  const fixed = { protocol: 'http/1.1', method: 'GET', timeout: 5, seconds: 2, connections: 5, rate: 50 } as const;
  const task = {
    generator: 'autocannon' as const,
    plan: { ...fixed, endpoint, model: 'open' as const, ...plan },
    headers: {},
    body: '',
  };
  const totals = await new AutocannonLoad({ ...task, address: '127.0.0.1' }, (slice) => slices.push(slice)).run();
  return { slices, totals };
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

  it('tells the wait for a connection from the time of the server, and opens as many connections as the rate needs', async () => {
    const url = await serve((_, response) => void setTimeout(() => response.end('hello'), 50));
    const few = await measure(url, { rate: 100, connections: 2 });
    const figures = summarize(few, { seconds: 2 });
    expect(figures.requests).toBe(200);
    // Two connections make 40 requests a second.
    expect(figures).toMatchObject({ due_rps: 100, errors: 0 });
    expect(figures.waited).toBeGreaterThan(100);
    expect(figures.sent_rps).toBeLessThan(60);
    expect(figures.p99_ms).toBeGreaterThan(1_000);
    expect(figures.service_p99_ms).toBeLessThan(300);
    const enough = await measure(url, { rate: 100, connections: 50, initialConnections: 2 });
    expect(enough.totals.connections).toBeGreaterThan(4);
    expect(enough.totals.sent).toBe(200);
    expect(summarize(enough, { seconds: 2 }).p50_ms).toBeLessThan(100);
  });

  it('counts what is due while the target is away as errors, and no pause of its own as latency', async () => {
    const server = createServer((_, response) => void response.end('hello'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const away = async (): Promise<void> => {
      await sleep(500);
      server.closeAllConnections();
      await once(server.close(), 'close');
      await sleep(1_000);
      servers.push(server.listen(port, '127.0.0.1'));
    };
    const [measured] = await Promise.all([measure(`http://127.0.0.1:${port}/`, { rate: 100, seconds: 3 }), away()]);
    const { latencies, errors } = mergeSlices(measured.slices);
    expect(latencies.count + sumOf(errors)).toBe(300);
    expect(sumOf(errors)).toBeGreaterThan(70);
    expect(latencies.count).toBeGreaterThan(100);
    expect(percentile(latencies, 99)).toBeLessThan(0.4);
    const gone = await drive('http://127.0.0.1:1/', { rate: 1_000, seconds: 1 });
    expect(sumOf(gone.errors)).toBe(1_000);
  });

  it('counts what is due while a target is silent, and of a closed load the attempts to connect', async () => {
    // It takes connections and never shakes hands, so that they stay in the state of being opened.
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const endpoint = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const plan = { rate: 100, seconds: 1, timeout: 4, connections: 2 };
    const closed = { ...plan, model: 'closed' } as const;
    const [open, few, refused] = await Promise.all([
      drive(endpoint, plan),
      drive(endpoint, closed),
      drive('http://127.0.0.1:1/', { ...closed, rate: 5_000 }),
    ]);
    for (const socket of sockets) socket.destroy();
    silent.close();
    expect([open, few].map(({ latencies, errors }) => [latencies.count, sumOf(errors)])).toEqual([
      [0, 100],
      [0, 2],
    ]);
    // Two connections, which pause for up to 0.1 seconds between their attempts.
    expect(sumOf(refused.errors)).toBeGreaterThan(5);
    expect(sumOf(refused.errors)).toBeLessThan(60);
  });

  it('records stalls, the first byte and the opening of connections, and reads responses to HEAD', async () => {
    const began = performance.now();
    const url = await serve((request, response) => {
      const now = performance.now() - began;
      const end = (): void => void response.end(request.method === 'HEAD' ? undefined : 'hello');
      // No response from second 0.5 to 1.3.
      setTimeout(end, now > 500 ? Math.max(0, 1_300 - now) : 0);
    });
    const { totals } = await measure(url, { rate: 50, connections: 60 });
    expect(stallsOf(totals)).toHaveLength(1);
    expect(secondsOfStalls(stallsOf(totals))).toBeGreaterThan(0.6);
    expect(secondsOfStalls(stallsOf(totals))).toBeLessThan(1.2);
    expect(totals.firstByte.count).toBe(100);
    expect(totals.connect.count).toBe(60);
    const head = await serve((_, response) => void response.writeHead(200, { 'content-length': '5' }).end());
    expect((await drive(head, { method: 'HEAD', seconds: 1 })).statuses).toEqual({ '200': 50 });
  });
});
