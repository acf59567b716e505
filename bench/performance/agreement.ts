import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { LoadGenerator } from '../../src/performance/load/load-plan.js';
import { drive, type Figures, toFigures, toFiguresOfWrk } from './drive.js';
import { TimedServer } from './timed-server.js';

const SERVICE_MS = 20;
const CONNECTIONS = 8;
/** As many as a stall holds up, for a generator that has no queue. */
const MANY_CONNECTIONS = 250;
const RATE = 200;
const SECONDS = 10;
const STALL_EVERY_MS = 5_000;
/** Runs begin so far from a stall: whole ones are within them. */
const PHASE_MS = 2_000;
const GENERATORS: LoadGenerator[] = process.env['K6_BIN'] === undefined ? ['autocannon'] : ['autocannon', 'k6'];
const OPEN_RUNS: [LoadGenerator, number][] = [
  ['autocannon', CONNECTIONS],
  ...GENERATORS.map((generator): [LoadGenerator, number] => [generator, MANY_CONNECTIONS]),
];

/** What is measured of a steady server and of one that stalls, each row beside what it has to agree with. */
export async function printAgreement(): Promise<void> {
  for (const stallEvery of [Infinity, STALL_EVERY_MS]) {
    const what = Number.isFinite(stallEvery) ? 'a stall of a second every five' : 'steady';
    const server = await TimedServer.start({ service: () => SERVICE_MS, stallEvery });
    const closed = { model: 'closed', rate: 5_000, seconds: SECONDS, connections: CONNECTIONS } as const;
    await server.prepare(PHASE_MS, stallEvery);
    const wrk = await runWrk(server.url);
    print(`${what}, closed, wrk`, wrk);
    for (const generator of GENERATORS) {
      await server.prepare(PHASE_MS, stallEvery);
      print(
        `${what}, closed, ${generator}`,
        toFiguresOfWrk(await drive(server.url, closed, generator), CONNECTIONS),
        wrk,
      );
    }
    for (const [generator, connections] of OPEN_RUNS) {
      await server.prepare(PHASE_MS, stallEvery);
      const plan = { model: 'open', rate: RATE, seconds: SECONDS, connections } as const;
      const figures = toFigures(await drive(server.url, plan, generator));
      const known = toReference(server.openLatencies(RATE));
      print(`${what}, open, ${connections} connections, the server`, known);
      print(`${what}, open, ${connections} connections, ${generator}`, figures, known);
    }
    server.stop();
  }
}

function toReference(latencies: readonly number[]): Figures {
  const at = (share: number): number => latencies[Math.ceil((share / 100) * latencies.length) - 1] ?? 0;
  const mean = latencies.reduce((sum, each) => sum + each, 0) / latencies.length;
  return { rate: latencies.length / SECONDS, mean, p50: at(50), p90: at(90), p99: at(99), unsent: 0 };
}

const NAMES = ['rate', 'mean', 'p50', 'p90', 'p99'] as const;

/** A row of figures, each with how far it is from what it is compared with. */
function print(what: string, figures: Figures | null, than: Figures | null = null): void {
  if (!figures) return console.log(`${what}: not installed`);
  const shown = NAMES.map((name) => {
    const away = than ? ` (${((figures[name] / than[name] - 1) * 100).toFixed(1)} %)` : '';
    return `${name} ${figures[name].toFixed(1)}${away}`;
  });
  console.log(`${what}: ${[...shown, ...(figures.unsent > 0 ? [`errors ${figures.unsent}`] : [])].join(', ')}`);
}

const UNITS: Record<string, number> = { us: 0.001, ms: 1, s: 1_000 };

async function runWrk(url: string): Promise<Figures | null> {
  try {
    const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}`, '--timeout', '10', '--latency', url];
    const { stdout: text } = await promisify(execFile)('wrk', args);
    const find = (pattern: RegExp): number => {
      const [, value, unit = 'ms'] = pattern.exec(text) ?? [];
      return Number(value) * (UNITS[unit] ?? 1);
    };
    const at = (share: number): number => find(new RegExp(`^\\s+${share}%\\s+([\\d.]+)(us|ms|s)`, 'm'));
    const mean = find(/Latency\s+([\d.]+)(us|ms|s)/);
    return { rate: find(/Requests\/sec:\s+([\d.]+)/), mean, p50: at(50), p90: at(90), p99: at(99), unsent: 0 };
  } catch {
    return null;
  }
}
