import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { drive, type Figures, toFigures } from './drive.js';
import { TimedServer, type Timing } from './timed-server.js';

const SECONDS = 10;
/** As a run of a profile that names no number of connections. */
const CONNECTIONS = { connections: 200, initialConnections: 10 } as const;
const MS_PER_NS = 1e-6;

/** How a server responds, in milliseconds, and how often it is asked. */
const CASES: [string, Timing, number][] = [
  ['responses after 20 ms', { service: () => 20 }, 200],
  ['responses after 20 ms', { service: () => 20 }, 600],
  ['responses after 5 ms', { service: () => 5 }, 1_000],
  ['responses at once', { service: () => 0 }, 1_000],
  ['responses at once', { service: () => 0 }, 2_000],
  ['a stall of a second every five', { service: () => 20, stallEvery: 5_000 }, 50],
  ['away for two seconds of ten', { service: () => 20, away: { from: 4_000, until: 6_000 } }, 50],
];

/**
 * What a run measures of servers whose responses take a known time, beside vegeta (`VEGETA_BIN`), which asks for the same rate for as
 * long. Each has a server of its own, one after the other.
 */
export async function printBeside(vegeta: string): Promise<void> {
  console.log('| server | requests/s | measured by | rate | mean ms | p50 | p90 | p99 | errors |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [what, timing, rate] of CASES) {
    const ours = await withServer(timing, async (url) =>
      toFigures(await drive(url, { model: 'open', rate, seconds: SECONDS, ...CONNECTIONS })),
    );
    const theirs = await withServer(timing, (url) => runVegeta(vegeta, url, rate));
    for (const [name, figures] of [['armature', ours] as const, ['vegeta', theirs] as const])
      console.log(`| ${what} | ${rate} | ${name} | ${shown(figures)} |`);
  }
}

async function withServer<T>(timing: Timing, run: (url: string) => Promise<T>): Promise<T> {
  const server = await TimedServer.start(timing);
  try {
    return await run(server.url);
  } finally {
    server.stop();
  }
}

const shown = ({ rate, mean, p50, p90, p99, unsent }: Figures): string =>
  [...[rate, mean, p50, p90, p99].map((figure) => figure.toFixed(1)), unsent].join(' | ');

interface VegetaReport {
  latencies: Record<'mean' | '50th' | '90th' | '99th', number>;
  requests: number;
  success: number;
  throughput: number;
}

async function runVegeta(program: string, url: string, rate: number): Promise<Figures> {
  const attack = `printf 'GET %s\\n' "$1" | "$0" attack -rate "$2" -duration ${SECONDS}s -timeout 10s | "$0" report -type json`;
  const { stdout } = await promisify(execFile)('sh', ['-c', attack, program, url, String(rate)]);
  const { latencies, requests, success, throughput } = JSON.parse(stdout) as VegetaReport;
  const of = (name: keyof typeof latencies): number => latencies[name] * MS_PER_NS;
  const unsent = Math.round(requests * (1 - success));
  return { rate: throughput, mean: of('mean'), p50: of('50th'), p90: of('90th'), p99: of('99th'), unsent };
}
