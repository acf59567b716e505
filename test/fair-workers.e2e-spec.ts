import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Answer, Person } from './support/person.js';
import { World } from './support/world.js';

const MB = 1024 * 1024;
const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n';
/** Long before one of the costly files below is read, with room for a busy machine. */
const SOON = 30_000;

let world: World;
let attacker: Person;
let neighbour: Person;
beforeAll(async () => {
  world = await World.start();
  attacker = await world.person('admin');
  neighbour = await world.person('admin');
});
afterAll(() => world.stop());

/** A small archive of many large files. */
async function archiveOf(count: number, content: Buffer): Promise<Uint8Array<ArrayBuffer>> {
  const tar = pack();
  for (let index = 0; index < count; index++) tar.entry({ name: `f${index}.yaml` }, content);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk);
  return new Uint8Array(gzipSync(Buffer.concat(chunks)));
}

const importing = (person: Person, name: string, content: string | Uint8Array): Promise<Answer> =>
  person.upload('/api/pattern/import', name, content);

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const started = performance.now();
  const value = await work;
  return { value, ms: performance.now() - started };
}

it.each(['\n', '\r\n'])(
  'reads archives of newlines (%j) at once',
  async (newline) => {
    const newlines = await archiveOf(15, Buffer.alloc(10 * MB, newline));
    const { value, ms } = await timed(importing(attacker, 'newlines.tgz', newlines));
    expect([value.status, value.body.code]).toEqual([400, 'UNKNOWN_FORMAT']);
    expect(ms).toBeLessThan(20_000);
  },
  60_000,
);

it('lets a neighbour import and read while one member floods it with costly files', async () => {
  const large = Array.from({ length: 8_000 }, (_, index) => `${MANIFEST.replace('settings', `c${index}`)}data: {key: ${'x'.repeat(70)}}\n`); // prettier-ignore
  const stored = await importing(neighbour, 'large.yaml', large.join('---\n'));
  expect(stored.status).toBe(201);
  expect(stored.body.pattern_file.length).toBeGreaterThan(MB);

  // Each takes a worker for as long as a task may have it.
  const costly = await archiveOf(20, Buffer.from(`- [${'[],'.repeat(3 * MB)}]\n`));
  const flood = Array.from({ length: 40 }, () => importing(attacker, 'costly.tgz', costly));
  const ended = Promise.allSettled(flood);
  const refusals = flood.map((each) =>
    each.then(({ status }) => (status === 429 ? true : Promise.reject(new Error()))),
  );
  await Promise.any(refusals);

  for (let round = 1; round <= 2; round++) {
    const small = await timed(importing(neighbour, `small${round}.yaml`, `# ${'x'.repeat(5_000)}\n${MANIFEST}`));
    expect(small.value.status).toBe(201);
    expect(small.ms).toBeLessThan(SOON);
    const read = await timed(neighbour.get(`/api/pattern/${stored.body.id}`));
    expect(read.value.status).toBe(200);
    expect(read.ms).toBeLessThan(SOON);
    const exported = await timed(neighbour.get(`/api/pattern/download/${stored.body.id}?export=design`));
    expect(exported.value.status).toBe(200);
    expect(exported.ms).toBeLessThan(SOON);
  }

  const refused = await Promise.any(flood.map((each) => each.then((answer) => (answer.status === 429 ? answer : Promise.reject(new Error()))))); // prettier-ignore
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(refused.body).toMatchObject({ code: 'TOO_BUSY', detail: '20 files of yours are waiting already.' });
  await world.app.close();
  await ended;
}, 240_000);
