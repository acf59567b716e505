import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GeneratorTask, LoadPlan } from './load-plan.js';
import { otherAddresses } from './other-addresses.js';

const PROTO = fileURLToPath(new URL('./health.proto', import.meta.url));

/**
 * What k6 runs. `latency` has a value for each request, with the status of its answer or the failure that it came to; `begun` says
 * when the load began, after connections and programs were prepared. The first request of a connection opens it, which is no part of
 * what is measured; later an open model counts what a server costs that closes connections.
 */
const PROGRAM = String.raw`
import http from 'k6/http';
import grpc from 'k6/net/grpc';
import { sleep } from 'k6';
import { Counter, Trend } from 'k6/metrics';

export const options = task.options;
const begun = new Counter('begun');
const latency = new Trend('latency', true);
const client = task.grpc ? new grpc.Client() : null;
if (client) client.load([task.grpc.folder], task.grpc.file);
let isConnected = false;
let failures = 0;

export function setup() {
  begun.add(1);
}

export default function () {
  try {
    const failure = client ? check() : request();
    failures = failure ? failures + 1 : 0;
    if (failure) latency.add(0, { failure });
  } catch {
    failures += 1;
    latency.add(0, { failure: '1000' });
  }
  if (task.pauses && failures > 1) sleep(Math.min(1, 0.01 * 2 ** (failures - 2)));
}

function request() {
  const answer = http.request(task.method, task.url, task.body, task.parameters);
  const failure = findFailure(answer);
  if (failure) return failure;
  const { duration, blocked, connecting, tls_handshaking } = answer.timings;
  const opening = task.countsOpening && __ITER > 0 ? blocked + connecting + tls_handshaking : 0;
  latency.add(duration + opening, { status: String(answer.status) });
}

function findFailure({ status, proto, error, error_code: code }) {
  if (code === 1000) return /EOF|closed/.test(error) ? 'closed' : /malformed|unsolicited/i.test(error) ? 'garbage' : '1000';
  if (status === 0 || (code > 0 && (code < 1400 || code >= 1600))) return String(code);
  if (task.protocol && proto !== task.protocol) return 'protocol';
}

function check() {
  if (!isConnected) client.connect(task.grpc.target, { plaintext: true, timeout: task.grpc.timeout });
  isConnected = true;
  client.invoke('grpc.health.v1.Health/Check', {}, { timeout: task.grpc.timeout, metadata: task.grpc.metadata });
}
`;

/** Returns the script of a run. It contains user input only as data, in one JSON text. */
export function toScript(task: GeneratorTask): string {
  return `const task = JSON.parse(${toLiteral(JSON.stringify(toData(task)))});\n${PROGRAM}`;
}

/** Escapes two line separators that older JavaScript engines do not allow in string literals. */
const toLiteral = (text: string): string =>
  JSON.stringify(text).replace(/[\u2028\u2029]/g, (separator) => `\\u${separator.charCodeAt(0).toString(16)}`);

function toData({ plan, address, headers, body }: GeneratorTask): object {
  const { endpoint, method, protocol, model, timeout } = plan;
  const { hostname, port, href } = new URL(endpoint);
  const grpc = {
    folder: dirname(PROTO),
    file: 'health.proto',
    target: `${hostname}:${port || 80}`,
    timeout: `${timeout}s`,
    metadata: headers,
  };
  return {
    options: toOptions(plan, hostname, address),
    ...{ method, url: href, body: body === '' ? null : body },
    parameters: { headers, redirects: 0, timeout: `${timeout}s` },
    protocol: protocol === 'http/2' ? 'HTTP/2.0' : null,
    ...{ countsOpening: model === 'open', pauses: model === 'closed' },
    grpc: protocol === 'grpc' ? grpc : null,
  };
}

/** Resolves every name to the allowed address, and blocks every other address. */
function toOptions(plan: LoadPlan, name: string, address: string) {
  const { protocol, model, rate, connections, seconds, timeout } = plan;
  const common = { duration: `${seconds}s`, gracefulStop: `${timeout + 1}s` };
  const isPaced = model === 'closed' && protocol === 'grpc';
  return {
    scenarios: {
      load: model === 'open' ? toArrivals(plan, common) : { executor: 'constant-vus', ...common, vus: connections },
    },
    hosts: isIP(name.replace(/^\[|\]$/g, '')) ? {} : { [name]: address },
    blacklistIPs: otherAddresses(address),
    // A bound of HTTP requests alone.
    ...(model === 'closed' && !isPaced ? { rps: rate } : {}),
    ...(isPaced ? { minIterationDuration: `${Math.ceil((connections / rate) * 1e6)}us` } : {}),
    maxRedirects: 0,
    discardResponseBodies: true,
    systemTags: ['status'],
    userAgent: '',
    summaryTrendStats: [],
  };
}

/** K6 knows whole rates only: they are of 100 seconds. */
const RATE_UNIT = 100;

function toArrivals({ rate, stages = [], connections, initialConnections }: LoadPlan, common: { duration: string }) {
  const perUnit = (each: number): number => Math.round(each * RATE_UNIT);
  const shared = {
    ...{ timeUnit: `${RATE_UNIT}s`, preAllocatedVUs: initialConnections ?? connections, maxVUs: connections },
  };
  if (stages.length === 0) return { executor: 'constant-arrival-rate', ...common, rate: perUnit(rate), ...shared };
  const { duration: _, ...rest } = common;
  return {
    ...{ executor: 'ramping-arrival-rate', ...rest, startRate: perUnit(rate), ...shared },
    stages: stages.map(({ rate: target, seconds }) => ({ target: perUnit(target), duration: `${seconds}s` })),
  };
}
