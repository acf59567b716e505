import { gzipSync } from 'node:zlib';
import { Stalls } from '../imports/stalls.js';
import { startDatabase } from '../support/database.js';
import { readMemory } from '../support/process-status.js';
import { load, table } from '../support/load.js';
import { production, signIn, startServer } from '../support/server.js';

/** Hostile and heavy requests over the wire: the answer to each, and how long other callers wait during it. */
const PRODUCT = import.meta.resolve('../support/product.js');
const MB = 1_000_000;

interface Attack {
  what: string;
  path: string;
  body: string | FormData | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  withToken?: true;
}

const unsound = (count: number): string => JSON.stringify(Array.from({ length: count }, () => '\ud800'));
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const component = (index: number) => ({
  schemaVersion: 'components.meshery.io/v1beta1',
  displayName: `app-${index}`,
  component: { kind: 'ConfigMap', version: 'v1' },
  configuration: { data: { key: 'x'.repeat(200), other: 'y'.repeat(200) } },
});
const designOf = (bytes: number) => ({
  name: 'large',
  schemaVersion: 'designs.meshery.io/v1beta1',
  version: '0.0.1',
  components: Array.from({ length: Math.round(bytes / JSON.stringify(component(0)).length) }, (_, at) => component(at)),
});
function upload(bytes: number): FormData {
  const form = new FormData();
  form.set('file', new Blob([Buffer.alloc(bytes, 'a')]), 'large.bin');
  return form;
}

const GZIP = { 'content-encoding': 'gzip' };
const attacks: Attack[] = [
  {
    what: '5 MB of unsound text in gzip, sign-in',
    path: '/api/auth/login',
    body: new Uint8Array(gzipSync(`{"email":${unsound(580_000)},"password":"x"}`)),
    headers: GZIP,
  },
  {
    what: '16 kB of unsound text, sign-in',
    path: '/api/auth/login',
    body: `{"email":${unsound(1_600)},"password":"x"}`,
  },
  {
    what: '10 kB below a name of 5 kB, sign-in',
    path: '/api/auth/login',
    body: JSON.stringify({ email: { ['k'.repeat(5_000)]: Array.from({ length: 600 }, () => '\ud800') } }),
  },
  { what: '4 MB to an unknown path', path: '/api/nothing', body: JSON.stringify({ a: 'x'.repeat(4 * MB) }) },
  {
    what: '100,000 levels',
    path: '/api/environments',
    body: `{"name":"x","metadata":{"a":${deep(100_000)}}}`,
    withToken: true,
  },
  {
    what: '5 MB of empty lists',
    path: '/api/environments',
    body: `{"name":"x","metadata":{"a":[${'[],'.repeat(1_600_000)}[]]}}`,
    withToken: true,
  },
  {
    what: '5 MB of unsound text',
    path: '/api/environments',
    body: `{"name":"x","metadata":{"a":${unsound(580_000)}}}`,
    withToken: true,
  },
  {
    what: '100 kB of unknown fields',
    path: '/api/environments',
    body: JSON.stringify(Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`f${at}`, 0]))),
    withToken: true,
  },
  {
    what: 'a design of 4 MB',
    path: '/api/pattern',
    body: JSON.stringify({ name: 'large', pattern_data: { design_file: designOf(4 * MB) } }),
    withToken: true,
  },
  {
    what: 'evaluating a design of 4 MB',
    path: '/api/meshmodels/relationships/evaluate',
    body: JSON.stringify({ design: designOf(4 * MB) }),
    withToken: true,
  },
  {
    what: '4 MB of components',
    path: '/api/meshmodels/components',
    body: JSON.stringify({
      modelName: 'large',
      components: Array.from({ length: 4_000 }, (_, at) => ({
        kind: `K${at}`,
        apiVersion: 'x/v1',
        schema: JSON.stringify({ type: 'object', description: 'x'.repeat(900) }),
      })),
    }),
    withToken: true,
  },
  {
    what: 'a file of 49 MB with an idempotency key',
    path: '/api/pattern/import',
    body: upload(49 * MB),
    headers: { 'idempotency-key': 'bench' },
    withToken: true,
  },
];

const database = await startDatabase();
const rows: string[][] = [];
try {
  for (const { what, path, body, headers, withToken } of attacks) {
    // A server for each, so that the peak of its memory is of this one.
    const server = await startServer(PRODUCT, { ...production(database.url), BENCH_STALLS: 'on' });
    const stalls = new Stalls(server);
    const token = await signIn(server.url);
    const before = readMemory(server.pid, 'VmHWM');
    let answered = '';
    const stall = await stalls.of(async () => {
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: {
          ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
          ...headers,
          ...(withToken ? { authorization: `Bearer ${token}` } : {}),
        },
        body,
      });
      const { length } = Buffer.from(await response.arrayBuffer());
      answered = `${response.status}, ${(length / 1000).toFixed(1)} kB`;
    });
    const ms = [stall.took, stall.cpu, stall.loop, stall.live].map((each) => each.toFixed(0));
    rows.push([what, answered, ...ms, (readMemory(server.pid, 'VmHWM') - before).toFixed(0)]);
    console.error(rows.at(-1)?.join(' | '));
    await stalls.stop();
    await server.stop();
  }
  console.log(table(['request', 'answer', 'ms', 'stall CPU ms', 'stall ms', 'live ms', 'peak +MB'], rows));
  console.log(`\nload average ${load()}`);
} finally {
  await database.stop();
}
