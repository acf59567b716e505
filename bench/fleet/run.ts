import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase, withClient } from '../support/database.js';
import { load, table } from '../support/load.js';
import { readMemory } from '../support/process-status.js';
import { production, signIn, startServer, untilIdle } from '../support/server.js';
import { FakeFleet } from './fake-fleet.js';

// Registers many clusters in one call, and measures the response, how long it takes to know all objects, processor time, memory, and rest.
const CLUSTERS = Number(process.argv[2] ?? 20);
const OBJECTS = Number(process.argv[3] ?? 8_000);
const PATIENCE_MS = 900_000;
const REST_MS = Number(process.env['BENCH_REST_MS'] ?? 60_000);
const LATENCIES = 40;

const database = await startDatabase();
const fleet = await FakeFleet.start(CLUSTERS, OBJECTS);
const server = await startServer(
  import.meta.resolve('../support/product.js'),
  production(database.url, { CLUSTER_WATCH: 'on', OUTBOUND_ALLOW: '127.0.0.0/8,::1/128' }),
);
try {
  await withClient(database.url, async (client) => {
    const token = await signIn(server.url);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const cpu = async (): Promise<{ server: number; database: number }> => ({
      server: Number(await server.ask('cpu')),
      database: database.cpu(),
    });
    const between = (since: Awaited<ReturnType<typeof cpu>>, now: Awaited<ReturnType<typeof cpu>>, by: number) => ({
      server: (now.server - since.server) / by,
      database: (now.database - since.database) / by,
    });
    const stored = async (condition = 'true'): Promise<number> =>
      (await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM cluster_resource WHERE ${condition}`)).rows[0]
        ?.n ?? 0;
    const synced = async (): Promise<number> =>
      (await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM cluster_watch WHERE synced_at IS NOT NULL`))
        .rows[0]?.n ?? 0;

    await untilIdle(server);
    const empty = await cpu();
    await sleep(REST_MS);
    const rest = between(empty, await cpu(), REST_MS / 1_000);

    const before = { cpu: await cpu(), memory: readMemory(server.pid, 'VmRSS') };
    const began = performance.now();
    const response = await fetch(`${server.url}/api/system/kubernetes`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ kubeconfig: fleet.kubeconfig }),
    });
    const outcome = (await response.json()) as Record<string, unknown[]>;
    const responded = performance.now() - began;
    await until(async () => (await synced()) === CLUSTERS);
    const known = performance.now() - began;
    const cost = between(before.cpu, await cpu(), CLUSTERS * fleet.size);
    const all = await stored();
    const full = { now: readMemory(server.pid, 'VmRSS'), peak: readMemory(server.pid, 'VmHWM') };

    await sleep(15_000);
    const filled = await cpu();
    await sleep(REST_MS);
    const idle = between(filled, await cpu(), REST_MS / 1_000);

    const times: number[] = [];
    for (let index = 0; index < LATENCIES; index++) {
      const since = performance.now();
      fleet.change(index % CLUSTERS, `change-${index}`);
      await until(async () => (await stored(`namespace = 'changes' AND name = 'change-${index}'`)) === 1, 20);
      times.push(performance.now() - since);
    }
    times.sort((one, other) => one - other);

    const fixed = (value: number, digits = 1): string => value.toFixed(digits);
    console.log(
      `\n${CLUSTERS} clusters of ${fleet.size} objects of ${fixed(fleet.bytes, 0)} bytes; load average ${load()}\n`,
    );
    console.log(
      table(
        ['figure', 'value', 'goal'],
        [
          ['processor time at rest without clusters, server, ms a second', fixed(rest.server), '≤ 5 for both'],
          ['the same of the database', fixed(rest.database), ''],
          [
            `response of the call (${response.status}, ${outcome['connected']?.length} connected), s`,
            fixed(responded / 1_000, 2),
            '≤ 1',
          ],
          ['all objects known, s', fixed(known / 1_000), '≤ 60'],
          ['objects stored', `${all} of ${CLUSTERS * fleet.size}`, ''],
          ['processor time of the server an object, ms', fixed(cost.server, 3), '≤ 0.1'],
          ['processor time of the database an object, ms', fixed(cost.database, 3), '≤ 0.1'],
          ['memory of the server before, MB', fixed(before.memory, 0), ''],
          ['memory with all objects, MB', fixed(full.now, 0), '≤ 400'],
          ['highest memory, MB', fixed(full.peak, 0), '≤ 400'],
          ['processor time at rest with all clusters, server, ms a second', fixed(idle.server), '≤ 50 for both'],
          ['the same of the database', fixed(idle.database), ''],
          ['a change is seen, p95, ms', fixed(times[Math.floor(times.length * 0.95)] ?? NaN, 0), '≤ 2000'],
        ],
      ),
    );
  });
} finally {
  await server.stop();
  await fleet.stop();
  await database.stop();
}

async function until(holds: () => Promise<boolean>, pauseMs = 250): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('waited in vain');
    await sleep(pauseMs);
  }
}
