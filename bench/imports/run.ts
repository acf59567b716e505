import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { startDatabase } from '../support/database.js';
import { load, table } from '../support/load.js';
import { production, signIn, startServer } from '../support/server.js';
import { hostile, type Source, sources as all } from './sources.js';
import { type Stall, Stalls } from './stalls.js';

/** Imports of designs over the wire: the time of a megabyte, and how long other callers wait during it. */
const MB = 1_000_000;
const SIZES = (process.env['BENCH_SIZES'] ?? '0.1,1,5,20').split(',').map(Number);
const FORMS = new RegExp(process.env['BENCH_FORMS'] ?? '');
const sources = all.filter(({ form }) => FORMS.test(form));
const PRODUCT = import.meta.resolve('../support/product.js');

interface Answered {
  status: number;
  code: string;
  id: string;
}

const database = await startDatabase();
const plain = new Worker(new URL('./baseline.js', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: 4096 },
});
try {
  const settings = { ...production(database.url), BENCH_STALLS: 'on' };
  const server = await startServer(PRODUCT, settings);
  const headers = { authorization: `Bearer ${await signIn(server.url)}` };
  const stalls = new Stalls(server);
  const send = async ({ path, text }: Source, bytes: number, query = ''): Promise<Answered> => {
    const form = new FormData();
    form.set('file', new Blob([text(bytes)]), path);
    const answer = await fetch(`${server.url}/api/pattern/import${query}`, { method: 'POST', headers, body: form });
    const body = await answer.arrayBuffer();
    const { id = '', code = '' } = JSON.parse(Buffer.from(body).toString()) as { id?: string; code?: string };
    return { status: answer.status, code, id };
  };
  const read = async (path: string): Promise<Answered> => {
    const answer = await fetch(server.url + path, { headers });
    await answer.arrayBuffer();
    return { status: answer.status, code: '', id: '' };
  };
  const shown = ({ took, cpu, loop, live }: Stall): string[] => [took, cpu, loop, live].map((ms) => ms.toFixed(0));
  const watch = async (work: () => Promise<Answered>): Promise<{ stall: Stall; answered: Answered }> => {
    let answered: Answered = { status: 0, code: '', id: '' };
    const stall = await stalls.of(async () => {
      answered = await work();
    });
    return { stall, answered };
  };

  await Promise.all([...sources, ...sources].map((source) => send(source, 0.05 * MB)));
  const rest = await stalls.of(() => new Promise((resolve) => setTimeout(resolve, 3000)));
  console.log(
    `load average ${load()}; at rest the longest turn takes ${rest.cpu.toFixed(0)} ms of the processor and ${rest.loop.toFixed(0)} ms by the clock, /healthz/live ${rest.live.toFixed(0)} ms\n`,
  );

  const rows: string[][] = [];
  const made = new Map<string, string>();
  for (const source of sources) {
    for (const size of SIZES) {
      // The library needs gigabytes for the largest; a megabyte of it costs what it costs of a smaller one.
      const sample = Math.min(size, 1);
      const parsed = once(plain, 'message') as Promise<[number]>;
      plain.postMessage({ text: source.text(sample * MB), json: source.path.endsWith('.json') });
      const least = (await parsed)[0] / sample;
      const { stall, answered } = await watch(() => send(source, size * MB));
      const perMb = [stall.took / size, least].map((ms) => ms.toFixed(0));
      rows.push([source.form, String(size), `${answered.status} ${answered.code}`, ...perMb, (stall.took / size / least).toFixed(2), ...shown(stall).slice(1)]); // prettier-ignore
      console.error(rows.at(-1)?.join(' | '));
      if (answered.status === 201) made.set(`${source.form} ${size}`, answered.id);
    }
  }
  console.log(table(['import', 'MB', 'answer', 'ms/MB', 'baseline ms/MB', 'ratio', 'stall CPU ms', 'stall ms', 'live ms'], rows)); // prettier-ignore

  const others: string[][] = [];
  for (const source of hostile.filter(({ form }) => FORMS.test(form))) {
    for (const size of SIZES.slice(-1)) {
      const { stall, answered } = await watch(() => send(source, size * MB));
      others.push([`${source.form}, ${size} MB`, `${answered.status} ${answered.code}`, ...shown(stall)]);
      console.error(others.at(-1)?.join(' | '));
    }
  }
  for (const size of SIZES.slice(-2)) {
    for (const { form } of sources) {
      const id = made.get(`${form} ${size}`);
      if (id === undefined) continue;
      const exports = ['design', 'json', 'kubernetes', 'helm', 'source', ...(form.startsWith('Compose') ? ['docker-compose'] : [])]; // prettier-ignore
      const paths = [`/api/pattern/${id}`, `/api/pattern/${id}/validate`, ...exports.map((each) => `/api/pattern/download/${id}?export=${each}`)]; // prettier-ignore
      for (const path of paths) {
        const { stall, answered } = await watch(() => read(path));
        const name = path.replace(id, '{id}').replace('/api/pattern', 'GET …');
        others.push([`${name} of ${form}, ${size} MB`, String(answered.status), ...shown(stall)]);
        console.error(others.at(-1)?.join(' | '));
      }
    }
    const [first] = sources;
    if (first) {
      const { stall, answered } = await watch(() => send(first, size * MB, '?async=true'));
      others.push([`import?async=true of ${first.form}, ${size} MB`, String(answered.status), ...shown(stall)]);
    }
  }
  console.log(`\n${table(['', 'answer', 'ms', 'stall CPU ms', 'stall ms', 'live ms'], others)}`);
  console.log(`\nload average ${load()}`);
  await stalls.stop();
  await server.stop();
} finally {
  await plain.terminate();
  await database.stop();
}
