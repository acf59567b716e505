import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describeConnectionFailure } from '../../core/outbound/connection-failure.js';
import { CLOSED, NOT_HTTP, TIMED_OUT, UNSENT } from './failure-kinds.js';
import { toScript } from './k6-script.js';
import type { GeneratorTask } from './load-plan.js';
import type { Slice } from './measurement.js';
import { SliceClock } from './slice-clock.js';
import { trustedAuthorities } from './trusted-authorities.js';

/** One value that k6 reports. */
interface Point {
  metric: string;
  data: { time: string; value: number; tags: { status?: string; failure?: string } };
}

const METRICS = ['begun', 'latency', 'grpc_req_duration', 'data_received', 'dropped_iterations'] as const;
const MARKS = METRICS.map((name) => `{"metric":"${name}","type":"Point"`);
const TICK_MS = 100;
const MAX_LINE = 65_536;
const MAX_SAID = 500;
const MEMORY = '512MiB';
/** The address of its own interface is empty: it has none. The script comes by stdin, so that no file or argument holds a secret. */
const ARGUMENTS = [
  'run',
  '--quiet',
  '--no-color',
  '--no-usage-report',
  '--no-summary',
  '--address',
  '',
  '--out',
  'json',
  '-',
];

/** Drives load with k6, in both models. */
export class K6Load {
  private clock: SliceClock | undefined;
  private rest = '';

  constructor(
    private readonly task: GeneratorTask,
    private readonly report: (slice: Slice) => void,
  ) {}

  /** @throws Error with the message of k6 */
  async run(): Promise<void> {
    const child = spawn(this.task.program ?? 'k6', ARGUMENTS, { env: environmentOf(this.task), stdio: 'pipe' });
    const said = collectSaid(child);
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.read(text));
    child.stdin.on('error', () => undefined).end(toScript(this.task));
    const ticks = setInterval(() => this.clock?.advance(Date.now()), TICK_MS);
    try {
      await once(child, 'close');
    } finally {
      clearInterval(ticks);
    }
    if (child.exitCode !== 0 || !this.clock) throw new Error(`k6 has no results: ${said()}`);
    this.clock.finish();
  }

  private read(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) if (MARKS.some((mark) => line.startsWith(mark))) this.take(JSON.parse(line) as Point);
  }

  private take({ metric, data: { time, value, tags } }: Point): void {
    const at = Date.parse(time);
    if (Number.isNaN(at) || !(value >= 0)) return;
    if (metric === 'begun') this.clock ??= new SliceClock(at, this.task.plan.seconds * 1_000, this.report);
    const second = this.clock?.at(at);
    if (metric === 'latency' && tags.failure !== undefined) second?.fail(describeFailure(tags.failure));
    else if (metric === 'latency') second?.answer(tags.status ?? '', value / 1_000);
    else if (metric === 'grpc_req_duration' && tags.status === '0') second?.answer('OK', value / 1_000);
    else if (metric === 'grpc_req_duration') second?.fail(GRPC_STATUSES[Number(tags.status)] ?? 'the request failed');
    else if (metric === 'dropped_iterations') second?.fail(UNSENT, value);
    else if (metric === 'data_received' && second) second.bytes += value;
  }
}

/** Nothing of the server's own. */
function environmentOf({ plan }: GeneratorTask): Record<string, string> {
  return {
    ...trustedAuthorities(),
    ...(plan.protocol === 'http/1.1' ? { GODEBUG: 'http2client=0' } : {}),
    GOMEMLIMIT: MEMORY,
    HOME: '/nonexistent',
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    K6_BINARY_PROVISIONING: 'false',
  };
}

function collectSaid(child: ChildProcess): () => string {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-MAX_SAID)));
  child.on('error', (error) => (said = error.message));
  return () => said;
}

/** Maps failures of the script and error codes of k6 to failure kinds. */
const FAILURES: Record<string, string> = {
  closed: CLOSED,
  garbage: NOT_HTTP,
  protocol: 'the server does not speak HTTP/2',
  1050: TIMED_OUT,
  1211: describeConnectionFailure({ code: 'ETIMEDOUT' }),
  1212: describeConnectionFailure({ code: 'ECONNREFUSED' }),
  1220: describeConnectionFailure({ code: 'ECONNRESET' }),
  1310: 'the authority of the certificate is not known',
  1311: 'the certificate is for another name',
};
const FAMILIES: Record<string, string> = {
  11: 'the address is refused',
  12: 'the connection failed',
  13: 'TLS failed',
  16: 'HTTP/2 failed',
};

const describeFailure = (code: string): string => FAILURES[code] ?? FAMILIES[code.slice(0, 2)] ?? 'the request failed';

const GRPC_STATUSES = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
];
