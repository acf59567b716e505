import { compareMeasurements } from '../../src/performance/comparison/compare.js';
import type { Measurement } from '../../src/performance/load/measurement.js';
import { drive, toFigures } from './drive.js';
import { TimedServer } from './timed-server.js';

const SERVICE_MS = 50;

/**
 * How often two runs are judged the same, and how often one of a server that is 10 % slower is worse. Both runs go on at the same time,
 * each with a server of its own, so that what else the machine does falls on both alike.
 */
export async function printVerdicts(tries: number, seconds: number): Promise<void> {
  for (const slower of [1, 1.1]) {
    const verdicts: Record<string, number> = {};
    for (let index = 0; index < tries; index++) {
      const [a, b] = await Promise.all([runOf(SERVICE_MS, seconds), runOf(SERVICE_MS * slower, seconds)]);
      const { verdict, figures } = compareMeasurements({ a, b });
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
      const [before, after] = [toFigures(a), toFigures(b)];
      const found = figures.filter((figure) => figure.verdict !== 'same').map(({ name }) => name);
      const shown = (name: 'p50' | 'p99'): string => `${name} ${before[name].toFixed(1)}, ${after[name].toFixed(1)}`;
      console.log(`${slower}: ${verdict} (${shown('p50')}; ${shown('p99')}; ${found.join(' ')})`);
    }
    console.log(`a server ${slower} times as slow, ${tries} tries of ${seconds} s: ${JSON.stringify(verdicts)}`);
  }
}

async function runOf(milliseconds: number, seconds: number): Promise<Measurement> {
  const server = await TimedServer.start({ service: () => milliseconds * Math.exp(0.2 * normal()) });
  const measurement = await drive(server.url, { model: 'open', rate: 100, connections: 20, seconds });
  server.stop();
  return measurement;
}

const normal = (): number => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
