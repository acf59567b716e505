import type { Answer, Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;
let callers: Person[];
let admin: Person;
beforeAll(async () => {
  world = await World.start();
  callers = await Promise.all([1, 2, 3, 4].map(() => world.person('admin')));
  admin = await world.person('admin');
});
afterAll(() => world.stop());

const BODIES: readonly [name: string, text: string][] = [
  ['explicit keys', '? '.repeat(2_000_000)],
  ['templates', '{{ . }}'.repeat(600_000)],
  ['braces', '{'.repeat(4_000_000)],
  ['tokens', `- [${'[],'.repeat(1_300_000)}]`],
];
const MB = 1024 * 1024;
/** Files of these kinds took a worker 20 seconds and more each, and 1 GB of memory. */
const SOON_MS = 20_000;
const MOST_GROWTH = 1_500 * MB;

const importing = (person: Person, content: string): Promise<Answer> =>
  person.upload('/api/pattern/import', 'hostile.yaml', content);

const kubeconfig = (names: readonly string[]): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: names.map((name) => ({ name, cluster: { server: 'https://127.0.0.1:1' } })),
  users: names.map((name) => ({ name, user: { token: 'secret' } })),
  contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
});

/** What a call answers, and after how long. */
async function timed(call: Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const since = performance.now();
  return { answer: await call, ms: performance.now() - since };
}

it.each(BODIES)('refuses megabytes of %s for what they are', async (_, text) => {
  const { answer, ms } = await timed(importing(admin, text));
  expect([answer.status, answer.body.errors[0].file]).toEqual([400, 'hostile.yaml']);
  expect(answer.body.code).not.toBe('TOO_COSTLY');
  expect(ms).toBeLessThan(SOON_MS);
});

it('bounds what such files of four callers take, while others register kubeconfigs and import', async () => {
  const register = (): Promise<Answer> =>
    // In a worker, for it has several contexts.
    admin.post('/api/system/kubernetes', { kubeconfig: kubeconfig(['a', 'b', 'c']) });
  // Starts the worker, which reads TypeScript here.
  await register();
  const alone = await timed(register());
  const before = process.memoryUsage().rss;
  let peak = before;
  const watching = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  const flood = Promise.all(callers.flatMap((caller) => BODIES.flatMap(([, text]) => importing(caller, text))));
  const registered = await timed(register());
  expect(registered.answer.status).toBe(200);
  const answers = await timed(flood.then(([first]) => first as Answer));
  clearInterval(watching);
  const growth = peak - before;
  if (process.env['MEASURE'])
    process.stdout.write(
      `registered ${registered.ms} ms, flood ${answers.ms} ms, ${Math.round(growth / MB)} MB more\n`,
    );
  expect((await flood).map(({ status }) => status)).toEqual(Array(16).fill(400));
  expect(registered.ms).toBeLessThan(Math.max(SOON_MS / 2, 50 * alone.ms));
  expect(growth).toBeLessThan(MOST_GROWTH);
}, 240_000);
