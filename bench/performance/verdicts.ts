import { compareMeasurements } from '../../src/performance/comparison/compare.js';
import type { Measurement } from '../../src/performance/load/measurement.js';
import { drive, toFigures } from './drive.js';
import { TimedServer, type Timing } from './timed-server.js';

const SERVICE_MS = 20;
const PLAN = { model: 'open', rate: 50, connections: 60 } as const;

/** What the second of two servers is like; the first is steady. */
const CASES: Record<string, Timing> = {
  'the same': { service: () => spread(SERVICE_MS) },
  '10 % slower': { service: () => spread(SERVICE_MS * 1.1) },
  '30 % slower': { service: () => spread(SERVICE_MS * 1.3) },
  'a stall of a second every ten': { service: () => spread(SERVICE_MS), stallEvery: 10_000 },
  '2.5 % of responses after 500 ms': { service: () => (Math.random() < 0.025 ? 500 : spread(SERVICE_MS)) },
};

/**
 * How often two runs of one server are found the same, and one of a server that is slower, stalls or has a slow tail worse. Both runs go
 * on at the same time, each with a server of its own, so that what else the machine does falls on both alike.
 */
export async function printVerdicts(tries: number, seconds: number): Promise<void> {
  for (const [what, timing] of Object.entries(CASES)) {
    const verdicts: Record<string, number> = {};
    for (let index = 0; index < tries; index++) {
      const [a, b] = await Promise.all([runOf({ service: () => spread(SERVICE_MS) }, seconds), runOf(timing, seconds)]);
      const { verdict, figures } = compareMeasurements({ a, b });
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
      const [before, after] = [toFigures(a), toFigures(b)];
      const found = figures.filter((figure) => figure.verdict !== 'same').map(({ name }) => name);
      const shown = (name: 'p50' | 'p99'): string => `${name} ${before[name].toFixed(1)}, ${after[name].toFixed(1)}`;
      console.log(`${what}: ${verdict} (${shown('p50')}; ${shown('p99')}; ${found.join(' ')})`);
    }
    console.log(`${what}, ${tries} pairs of ${seconds} s at ${PLAN.rate}/s: ${JSON.stringify(verdicts)}`);
  }
}

async function runOf(timing: Timing, seconds: number): Promise<Measurement> {
  const server = await TimedServer.start(timing);
  const measurement = await drive(server.url, { ...PLAN, seconds });
  server.stop();
  return measurement;
}

const spread = (milliseconds: number): number => milliseconds * Math.exp(0.2 * normal());
const normal = (): number => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
