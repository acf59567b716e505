import { loadavg } from 'node:os';
import autocannon, { type Options, type Request, type Result } from 'autocannon';
import type { BenchDatabase } from './database.js';
import type { BenchServer } from './server.js';

/** One of what is compared: the first is the baseline. */
export interface Candidate {
  name: string;
  server: BenchServer;
  /** The database that it asks, when it is not the one of the others. */
  database?: BenchDatabase;
  token?: string;
  /** The paths that are asked for at random. */
  paths: string[];
  /** Callers at once, when they are not as many as usual. */
  connections?: number;
  /** What is asked for instead, anew for each call. */
  next?: () => Partial<Request>;
}

export interface Run {
  rps: number;
  p50: number;
  p99: number;
  /** Processor time of a request, in milliseconds, of the server and of its database: the steadier figure. */
  server: number;
  database: number;
}

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 32);

/**
 * Loads the candidates one after another with so many calls each, in several rounds, so that a busy moment of the machine meets all of
 * them, and a busy machine takes longer and still responds to all.
 * @returns the runs of each
 * @throws Error when a response was an error
 */
export async function runCalls(
  database: BenchDatabase,
  candidates: Candidate[],
  calls: number,
): Promise<Map<Candidate, Run[]>> {
  for (const candidate of candidates) await run(candidate, candidate.database ?? database, calls);
  const runs = new Map<Candidate, Run[]>(candidates.map((candidate) => [candidate, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [candidate, results] of runs) results.push(await run(candidate, candidate.database ?? database, calls));
  return runs;
}

/** Columns as wide as what is in them; the first is aligned to the left. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? title).length)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

export const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

async function run(candidate: Candidate, database: BenchDatabase, amount: number): Promise<Run> {
  const { name, server, token, paths, connections = CONNECTIONS } = candidate;
  const next: () => Partial<Request> =
    candidate.next ?? (() => ({ path: paths[Math.floor(Math.random() * paths.length)] ?? '/' }));
  const cpu = async () => ({ server: (await server.ask('cpu')) as number, database: database.cpu() });
  const before = await cpu();
  const started = performance.now();
  let answered = started;
  const options: Options = {
    url: server.url,
    amount,
    connections,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    requests: [
      {
        setupRequest: (request) => {
          const asked = next();
          return { ...request, ...asked, headers: { ...request.headers, ...asked.headers } };
        },
      },
    ],
  };
  const result = await new Promise<Result>((resolve, reject) => {
    const running = autocannon(options, (error: Error | null, result) => (error ? reject(error) : resolve(result)));
    // The generator ends on a whole second, which says little of a run that is counted in calls.
    running.on('response', () => (answered = performance.now()));
  });
  const failed = result['4xx'] + result['5xx'];
  if (failed > 0 || result.errors > 0)
    throw new Error(`${name}: ${failed} answers were errors, ${result.errors} calls failed`);
  const after = await cpu();
  return {
    rps: (result.requests.total * 1_000) / (answered - started),
    p50: result.latency.p50,
    p99: result.latency.p99,
    server: (after.server - before.server) / result.requests.total,
    database: (after.database - before.database) / result.requests.total,
  };
}

/** Each figure's median of the runs. */
export function middle(runs: Run[]): Run {
  const of = (figure: keyof Run): number => median(runs.map((run) => run[figure]));
  return { rps: of('rps'), p50: of('p50'), p99: of('p99'), server: of('server'), database: of('database') };
}
