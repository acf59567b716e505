import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { newId } from '../../src/core/database/base.entity.js';
import { startDatabase, withClient } from '../support/database.js';
import { table } from '../support/load.js';
import { type BenchServer, production, signIn, startServer } from '../support/server.js';
import { COMPONENTS, makePackages, PACKAGES, readSchemas } from './packages.js';

/** Registering 90,000 components twice, walking all of them, and searching among a million. */
const PRODUCT = import.meta.resolve('../support/product.js');
const AT_ONCE = 4;
const MILLION = 1_000_000;
const SEARCHES = 400;

const corpus = process.env['CORPUS_DIR'];
if (!corpus) throw new Error('set CORPUS_DIR: the schemas come from its folder crds');

const database = await startDatabase();
try {
  const product = await startServer(PRODUCT, production(database.url));
  const token = await signIn(product.url);
  const headers = { authorization: `Bearer ${token}` };
  const schemas = readSchemas(`${corpus}/crds`);
  const { packages, schemaBytes, distinctSchemas } = await makePackages(schemas);
  const mean = Math.round(schemaBytes / PACKAGES / COMPONENTS);
  console.log(
    `${PACKAGES} packages of ${COMPONENTS} components, ${distinctSchemas} distinct schemas of ${mean} bytes on average, ` +
      `${Math.round(schemaBytes / 1e6)} MB of schemas; load average ${loadavg()[0]?.toFixed(1)}\n`,
  );
  const rows: string[][] = [];
  for (const name of ['first', 'second']) {
    const began = performance.now();
    const cpu = database.cpu();
    const watch = watchMemory(product);
    const counts = { registered: 0, updated: 0, unchanged: 0, failed: 0 };
    const left = [...packages.keys()];
    const worker = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const form = new FormData();
        form.set('file', new Blob([packages[next] as never]), `package-${next}.tar.gz`);
        const answer = await fetch(`${product.url}/api/meshmodels/register`, { method: 'POST', headers, body: form });
        const body = (await answer.json()) as { counts: typeof counts; detail?: string };
        if (answer.status !== 200) throw new Error(`${answer.status} ${body.detail}`);
        for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] += body.counts[key];
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const seconds = (performance.now() - began) / 1000;
    rows.push([
      `registering, ${name} time`,
      seconds.toFixed(1),
      ((database.cpu() - cpu) / 1000).toFixed(1),
      String(watch()),
      JSON.stringify(counts),
    ]);
  }
  rows.push(await walk(product, headers, 'all components', '/api/meshmodels/components?pagesize=all'));
  rows.push(await walk(product, headers, 'all, without schemas', '/api/meshmodels/components?pagesize=all&trim=true'));
  console.log(table(['', 'seconds', 'database CPU s', 'peak RSS MB', ''], rows));
  await fill();
  await search(product, headers);
  await product.stop();
} finally {
  await database.stop();
}

/** Reads an answer to its end, and reports how much of it the server held. */
async function walk(
  product: BenchServer,
  headers: Record<string, string>,
  name: string,
  path: string,
): Promise<string[]> {
  const began = performance.now();
  const watch = watchMemory(product);
  const answer = await fetch(product.url + path, { headers });
  let bytes = 0;
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) bytes += piece.length;
  return [name, ((performance.now() - began) / 1000).toFixed(1), '', String(watch()), `${Math.round(bytes / 1e6)} MB`];
}

/** Follows the resident memory of a process; the answer ends that and is the maximum, in MB. */
function watchMemory({ pid }: BenchServer): () => number {
  let most = 0;
  const look = () => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  };
  look();
  const timer = setInterval(look, 50);
  return () => {
    clearInterval(timer);
    return Math.round(most);
  };
}

/** Adds components to the models that are there until there are a million. */
async function fill(): Promise<void> {
  await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM component');
    const more = MILLION - Number(rows[0]?.count);
    for (let done = 0; done < more; done += 50_000) {
      const ids = Array.from({ length: Math.min(50_000, more - done) }, newId);
      await client.query(
        `INSERT INTO component (id, model_id, kind, api_version, display_name, digest, details)
         SELECT given.id, model.id, 'Kind' || substr(md5(given.n::text), 1, 8) || given.n, 'filler.example/v1', initcap(substr(md5(given.n::text), 9, 6)) || ' ' || given.n, given.n::text, '{}'
         FROM unnest($1::uuid[]) WITH ORDINALITY AS given (id, o), LATERAL (SELECT given.o + $2 AS n) AS numbered (n),
           LATERAL (SELECT id FROM model ORDER BY id OFFSET ((given.o + $2) % $3) LIMIT 1) AS model`.replaceAll(
          'given.n',
          'numbered.n',
        ),
        [ids, done, Math.min(900, PACKAGES)],
      );
    }
    await client.query('VACUUM ANALYZE component');
  });
}

/** Searches for parts of names, one after another: three letters and more, seldom and often. */
async function search(product: BenchServer, headers: Record<string, string>): Promise<void> {
  const words = Array.from({ length: SEARCHES }, (_, index) => {
    const hex = (index * 2654435761).toString(16).slice(-6);
    return index % 4 === 0 ? `policy` : hex.slice(0, 3 + (index % 4));
  });
  const times: number[] = [];
  for (const word of words) {
    const began = performance.now();
    const answer = await fetch(`${product.url}/api/meshmodels/components?search=${word}&trim=true`, { headers });
    await answer.json();
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
  console.log(
    `\nSearch among ${MILLION} components, ms: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, most ${at(0.999)}`,
  );
}
