import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LatencyRecorder } from './latency-histogram.js';
import type { GeneratorTask } from './load-plan.js';
import { countKind, type Slice } from './measurement.js';
import { trustedAuthorities } from './trusted-authorities.js';

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const MAX_SAID = 500;
const MAX_KIND_LENGTH = 100;
const SHARES = '50,75,90,95,99,99.9';

/** The used fields of fortio's results. Durations are in seconds, except `ActualDuration`. */
interface FortioResults {
  ActualDuration: number;
  RetCodes: Record<string, number>;
  DurationHistogram: {
    Count: number;
    Min: number;
    Max: number;
    Sum: number;
    StdDev: number;
    Data: { Start: number; End: number; Count: number }[] | null;
  };
  Sizes?: { Sum: number } | null;
}

/** Generates load with fortio, in a closed model. It reports all measurements at the end. */
export class FortioLoad {
  constructor(
    private readonly task: GeneratorTask,
    private readonly report: (slice: Slice) => void,
    private readonly tick: (seconds: number) => void,
  ) {}

  /** @throws Error with the message of fortio */
  async run(): Promise<void> {
    const body = await openBody(this.task.body);
    const child = spawn(this.task.program ?? 'fortio', argumentsOf(this.task), {
      env: trustedAuthorities(),
      stdio: [body?.fd ?? 'ignore', 'pipe', 'pipe'],
    });
    const began = Date.now();
    const seconds = setInterval(() => this.tick(Math.round((Date.now() - began) / 1_000)), 1_000);
    const output = collect(child);
    try {
      await once(child, 'close');
    } finally {
      clearInterval(seconds);
      await body?.close();
    }
    this.report(toSlice(parseResults(output)));
  }
}

/** The arguments contain no headers, because other users of the machine can read the arguments of a process. */
function argumentsOf({ plan, address, body }: GeneratorTask): string[] {
  const { protocol, method, rate, connections, seconds, timeout, endpoint } = plan;
  const limits = ['-qps', String(rate), '-c', String(connections), '-t', `${seconds}s`, '-timeout', `${timeout}s`];
  const form = ['-json', '-', '-loglevel', 'error', '-r', '0.0001', '-p', SHARES, '-allow-initial-errors'];
  // This server has resolved the name and allowed the address.
  const host = isIPv6(address) ? `[${address}]` : address;
  if (protocol === 'grpc') {
    return ['load', ...form, ...limits, '-grpc', `${host}:${new URL(endpoint).port || 80}`];
  }
  const payload = body === '' ? [] : ['-payload-file', '/dev/stdin'];
  const speaks = protocol === 'http/2' ? ['-h2', '-stdclient'] : [];
  return ['load', ...form, ...limits, '-resolve', host, ...speaks, '-X', method, ...payload, endpoint];
}

/**
 * Passes the body as an unlinked file, which nobody else can open and which leaves nothing behind. Fortio opens it by the path
 * `/dev/stdin`, which does not work with a pipe from Node.js, because that is a socket.
 */
async function openBody(body: string): Promise<FileHandle | undefined> {
  if (body === '') return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'load-'));
  try {
    await writeFile(join(folder, 'body'), body, { mode: 0o600 });
    return await open(join(folder, 'body'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function collect(child: ChildProcess): { out: string; said: string } {
  const output = { out: '', said: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
    if (output.out.length > MAX_OUTPUT_BYTES) child.kill('SIGKILL');
  });
  child.stderr?.on('data', (chunk: Buffer) => (output.said = (output.said + chunk.toString()).slice(-MAX_SAID)));
  child.on('error', (error) => (output.said = error.message));
  return output;
}

function parseResults({ out, said }: { out: string; said: string }): FortioResults {
  try {
    const results = JSON.parse(out) as FortioResults;
    const { ActualDuration, RetCodes, DurationHistogram: measured } = results;
    const buckets = (measured.Data ?? []).flatMap(({ Start, End, Count }) => [Start, End, Count]);
    const { Count, Min, Max, Sum, StdDev } = measured;
    const numbers: unknown[] = [ActualDuration, Count, Min, Max, Sum, StdDev, ...Object.values(RetCodes), ...buckets];
    if (numbers.every((number) => typeof number === 'number' && number >= 0)) return results;
  } catch {
    // The error below reports it.
  }
  throw new Error(`fortio has no results: ${said}`);
}

/** Answers are those with a status, or of a healthy gRPC server; fortio counts all others as -1, or by their word. */
function toSlice({ ActualDuration, RetCodes, DurationHistogram: measured, Sizes }: FortioResults): Slice {
  const statuses: Record<string, number> = {};
  const errors: Record<string, number> = {};
  for (const [code, times] of Object.entries(RetCodes)) {
    if (/^[1-5]\d\d$/.test(code) || code === 'SERVING') countKind(statuses, code, times);
    else countKind(errors, code === '-1' ? 'the request failed' : code.slice(0, MAX_KIND_LENGTH), times);
  }
  const recorder = new LatencyRecorder();
  for (const { Start, End, Count } of measured.Data ?? []) recorder.record((Start + End) / 2, Count);
  const { Count: count, Min: min, Max: max, Sum: sum, StdDev: deviation } = measured;
  const answered = Object.values(statuses).reduce((total, times) => total + times, 0);
  const latencies = { ...recorder.toHistogram(), min, max, sum };
  if (count > 0) latencies.sumOfSquares = count * (deviation ** 2 + (sum / count) ** 2);
  const none = new LatencyRecorder().toHistogram();
  return {
    ...{ start: 0, length: ActualDuration / 1e6, bytes: Sizes?.Sum ?? 0, statuses, errors },
    latencies: answered === 0 ? none : latencies,
  };
}
