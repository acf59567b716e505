import { setTimeout as sleep } from 'node:timers/promises';
import { StubCluster } from '../../test/support/stub-cluster.js';
import { startDatabase } from '../support/database.js';
import { load, table } from '../support/load.js';
import { readMemory } from '../support/process-status.js';
import { production, signIn, startServer } from '../support/server.js';

// Has a server watch a cluster of many objects, and measures its memory, how long it takes to know all, and to catch up after a cut.
const OBJECTS = Number(process.argv[2] ?? 50_000);
const CHANGES = 1_000;
const LATENCIES = 100;
const PATIENCE_MS = 900_000;

const database = await startDatabase();
const cluster = await StubCluster.start();
const server = await startServer(
  import.meta.resolve('../support/product.js'),
  production(database.url, {
    CLUSTER_WATCH: 'on',
    OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
    LIMIT_CLUSTER_RESOURCES: String(2 * OBJECTS),
  }),
);
try {
  const token = await signIn(server.url);
  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}${path}`, { ...init, headers });
    if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const count = async (search: string): Promise<number> =>
    (await call<{ total_count: number }>(`/api/system/meshsync/resources?kind=ConfigMap&pagesize=1&search=${search}`))
      .total_count;
  const text = 'x'.repeat(1_500);
  for (let index = 0; index < OBJECTS; index++) cluster.put(`object-${index}`, { index: String(index), text });
  const idle = readMemory(server.pid, 'VmRSS');
  const cpu = Number(await server.ask('cpu'));

  const began = performance.now();
  await call('/api/system/kubernetes', { method: 'POST', body: JSON.stringify({ kubeconfig: cluster.kubeconfig }) });
  await until(async () => (await count('object-')) === OBJECTS, 500);
  const listed = performance.now() - began;
  const cpuListed = Number(await server.ask('cpu')) - cpu;
  await sleep(5_000);
  const full = { rss: readMemory(server.pid, 'VmRSS'), peak: readMemory(server.pid, 'VmHWM') };

  const latencies: number[] = [];
  for (let index = 0; index < LATENCIES; index++) {
    const since = performance.now();
    cluster.put(`late-${index}`, { text });
    await until(async () => (await count(`late-${index}`)) >= 1, 20);
    latencies.push(performance.now() - since);
  }
  latencies.sort((one, other) => one - other);

  cluster.cut();
  for (let index = 0; index < CHANGES; index++) cluster.put(`missed-${index}`, { text });
  const cutAt = performance.now();
  await until(async () => (await count('missed-')) === CHANGES, 50);
  const caughtUp = performance.now() - cutAt;

  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  console.log(`\nA cluster of ${OBJECTS} objects of ${text.length} bytes; load average ${load()}\n`);
  console.log(
    table(
      ['figure', 'value'],
      [
        ['memory of the server before, MB', idle.toFixed(0)],
        ['memory with all objects, MB', full.rss.toFixed(0)],
        ['highest memory, MB', full.peak.toFixed(0)],
        ['from registering to all objects, s', seconds(listed)],
        ['processor time for that, s', seconds(cpuListed)],
        [`a change is seen, s (median of ${LATENCIES})`, seconds(latencies[LATENCIES / 2] ?? NaN)],
        ['a change is seen, s (p95)', seconds(latencies[Math.floor(LATENCIES * 0.95)] ?? NaN)],
        [`after a cut with ${CHANGES} changes all are known, s`, seconds(caughtUp)],
      ],
    ),
  );
} finally {
  await server.stop();
  await cluster.stop();
  await database.stop();
}

async function until(holds: () => Promise<boolean>, pauseMs: number): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('waited in vain');
    await sleep(pauseMs);
  }
}
