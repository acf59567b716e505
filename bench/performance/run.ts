import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { compareMeasurements } from '../../src/performance/comparison/compare.js';
import { GeneratorProcess } from '../../src/performance/load/generator-process.js';
import { percentile } from '../../src/performance/load/latency-histogram.js';
import type { LoadPlan } from '../../src/performance/load/load-plan.js';
import { type Measurement, MeasurementCollector, mergeSlices } from '../../src/performance/load/measurement.js';

/**
 * What load generators measure of a server whose answers take a known time: beside wrk where it is installed, with a stall of a second
 * every five, and how often two runs of it are judged the same, and a run of one that is 10 % slower worse.
 */
const CONNECTIONS = 8;
const TRIES = Number(process.argv[2] ?? 20);
const SECONDS = Number(process.argv[3] ?? 5);

/** Answers after so many milliseconds; in a stall after its end. */
async function serve(milliseconds: () => number, stallEvery = Infinity): Promise<{ server: Server; url: string }> {
  const began = performance.now();
  const server = createServer((_, response) => {
    const phase = (performance.now() - began) % stallEvery;
    const stall = Number.isFinite(stallEvery) && phase < 1_000 ? 1_000 - phase : 0;
    setTimeout(() => response.end('hello'), stall + milliseconds());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function drive(
  endpoint: string,
  plan: Pick<LoadPlan, 'model' | 'rate'> & Partial<LoadPlan>,
): Promise<Measurement> {
  const collector = new MeasurementCollector();
  const fixed = {
    protocol: 'http/1.1',
    method: 'GET',
    connections: CONNECTIONS,
    seconds: SECONDS,
    timeout: 10,
  } as const;
  await new GeneratorProcess({
    ...{ generator: 'autocannon', plan: { endpoint, ...fixed, ...plan }, headers: {}, body: '', address: '127.0.0.1' },
  }).run(new AbortController().signal, { report: (slice) => collector.add(slice), tick: () => undefined });
  return collector.toMeasurement();
}

const shown = ({ slices }: Measurement): string => {
  const { latencies, length } = mergeSlices(slices);
  const at = (share: number): string => `p${share} ${(percentile(latencies, share) * 1_000).toFixed(1)} ms`;
  return `${((latencies.count / length) * 1_000).toFixed(0)} requests/s, ${[50, 90, 99].map(at).join(', ')}`;
};

async function runWrk(url: string, seconds: number): Promise<string> {
  try {
    const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}`, '--latency', url];
    const { stdout: text } = await promisify(execFile)('wrk', args);
    const rate = /Requests\/sec:\s+(\S+)/.exec(text)?.[1];
    const shares = [...text.matchAll(/^\s+(50|90|99)%\s+(\S+)/gm)].map(([, share, time]) => `p${share} ${time}`);
    return `${rate} requests/s, ${shares.join(', ')}`;
  } catch {
    return 'not installed';
  }
}

for (const [what, stallEvery] of [
  ['steady', Infinity],
  ['a stall of a second every five', 5_000],
] as const) {
  const { server, url } = await serve(() => 10, stallEvery);
  const seconds = Number.isFinite(stallEvery) ? 10 : SECONDS;
  console.log(`${what}: closed ${shown(await drive(url, { model: 'closed', rate: 5_000, seconds }))}`);
  console.log(`${what}: wrk    ${await runWrk(url, seconds)}`);
  console.log(`${what}: open   ${shown(await drive(url, { model: 'open', rate: 200, seconds }))}`);
  server.closeAllConnections();
  server.close();
}

const normal = (): number => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
const runOf = async (milliseconds: number): Promise<Measurement> => {
  const { server, url } = await serve(() => milliseconds * Math.exp(0.2 * normal()));
  const measurement = await drive(url, { model: 'open', rate: 100 });
  server.closeAllConnections();
  server.close();
  return measurement;
};
for (const slower of [1, 1.1]) {
  const verdicts: Record<string, number> = {};
  for (let index = 0; index < TRIES; index++) {
    const { verdict } = compareMeasurements({ a: await runOf(50), b: await runOf(50 * slower) });
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  }
  console.log(`a server ${slower} times as slow, ${TRIES} tries: ${JSON.stringify(verdicts)}`);
}
