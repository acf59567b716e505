import { writeFileSync } from 'node:fs';
import { startDatabase } from '../support/database.js';
import { type Latencies, measureLatencies, summarizeLatencies } from '../support/latencies.js';
import { load, table } from '../support/load.js';
import { production, startServer } from '../support/server.js';
import { type GrownOrganization, growOrganizations } from './organizations.js';
import { drawPlot } from './plot.js';
import { type Work, WORKS } from './works.js';

/** List, search and create in organizations of ten thousand, a hundred thousand and a million environments of one database. */
const PRODUCT = import.meta.resolve('../support/product.js');
const PLOT = process.env['BENCH_PLOT'] ?? 'docs/growth.svg';
const SIZES = (process.env['BENCH_SIZES'] ?? '10000,100000,1000000').split(',').map(Number);
const CALLERS = Number(process.env['BENCH_CONNECTIONS'] ?? 8);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 1);
const ROUNDS = 3;

/** What the calls of one work in one organization took. */
class Measured {
  times: number[] = [];
  cpu = 0;

  constructor(
    readonly name: string,
    readonly work: Work,
    readonly organization: GrownOrganization,
  ) {}

  get latencies(): Latencies {
    return summarizeLatencies(this.times, SECONDS * ROUNDS);
  }

  get cpuOfCall(): number {
    return this.cpu / this.times.length;
  }
}

const database = await startDatabase();
try {
  const server = await startServer(PRODUCT, production(database.url, { LOG_LEVEL: 'info' }));
  const organizations = await growOrganizations(database, server, SIZES);
  const all = Object.entries(WORKS).flatMap(([name, work]) =>
    organizations.map((organization) => new Measured(name, work, organization)),
  );
  const cpu = async (): Promise<number> => ((await server.ask('cpu')) as number) + database.cpu();
  const before = load();
  for (let round = 0; round <= ROUNDS; round++)
    for (const measured of all) {
      const begun = await cpu();
      const times = await measureLatencies(CALLERS, SECONDS, () => measured.work(server, measured.organization));
      // The first round warms up.
      if (round === 0) continue;
      measured.times.push(...times);
      measured.cpu += (await cpu()) - begun;
    }
  await server.stop();
  console.log(`\nGrowth, ${CALLERS} callers, load average ${before} before, ${load()} after\n`);
  const rows = all.map(({ name, organization, latencies: { rate, p50, p99 }, cpuOfCall }) => [
    `${name}, ${organization.rows.toLocaleString('en')}`,
    rate.toFixed(0),
    p50.toFixed(1),
    p99.toFixed(1),
    cpuOfCall.toFixed(1),
  ]);
  console.log(table(['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms'], rows));
  const lines = Object.keys(WORKS).map((work) => ({
    name: work,
    points: all
      .filter(({ name }) => name === work)
      .map(({ organization, cpuOfCall }) => ({ rows: organization.rows, ms: cpuOfCall })),
  }));
  writeFileSync(PLOT, drawPlot('Processor time of a call, server and database, in milliseconds', lines));
} finally {
  await database.stop();
}
