import { WorkerPool } from '../src/core/workers/worker-pool.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** Values that are data of the thread: bytes and texts count as one, however long they are. */
function nodesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 1;
  const members = value instanceof Map ? [...(value as Map<unknown, unknown>).values()] : Object.values(value);
  return members.reduce((sum: number, member) => sum + nodesIn(member), 1);
}

/** Everything that workers hand to the main thread while `work` runs, by the name of the task. */
async function crossing(work: () => Promise<unknown>): Promise<{ task: string; nodes: number }[]> {
  const pool = world.app.get(WorkerPool);
  const crossed: { task: string; nodes: number }[] = [];
  const watched = <Value>(task: { name: string }, value: Promise<Value>): Promise<Value> =>
    value.then((crossing) => {
      crossed.push({ task: task.name, nodes: nodesIn(crossing) });
      return crossing;
    });
  const run = pool.run.bind(pool);
  const collect = pool.collect.bind(pool);
  pool.run = (task, ...given) => watched(task, run(task, ...given));
  pool.collect = (task, ...given) => watched(task, collect(task, ...given));
  try {
    await work();
  } finally {
    pool.run = run;
    pool.collect = collect;
  }
  return crossed;
}

const COUNT = 500;
const manifest = Array.from(
  { length: COUNT },
  (_, index) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c${index}\ndata:\n  key: value ${index}\n`,
).join('---\n');
const compose = `services:\n${Array.from({ length: COUNT }, (_, index) => `  s${index}: { image: nginx, ports: ["${index + 1000}:80"] }\n`).join('')}`; // prettier-ignore
const drawn = JSON.stringify({
  name: 'drawn',
  schemaVersion: 'designs.meshery.io/v1beta1',
  components: Array.from({ length: COUNT }, (_, index) => ({
    displayName: `c${index}`,
    component: { kind: 'ConfigMap', version: 'v1' },
    configuration: { data: { key: `value ${index}` } },
  })),
});

describe('a large design is never data on the main thread', () => {
  it.each([
    ['many.yaml', manifest, 'kubernetes'],
    ['compose.yaml', compose, 'docker-compose'],
    ['design.json', drawn, 'design'],
  ])('while %s is imported, read, judged and exported', async (path, text, sourceType) => {
    let id = '';
    const importing = await crossing(async () => {
      const { status, body } = await world.admin.upload('/api/pattern/import', path, text);
      expect({ status, type: body.source_type }).toEqual({ status: 201, type: sourceType });
      expect(String(body.pattern_file)).toContain(path === 'compose.yaml' ? 's499' : 'c499');
      id = String(body.id);
    });
    expect(importing.map(({ task }) => task)).toEqual(['importInWorker', 'findingsInWorker', 'rewriteInWorker']);
    const reading = await crossing(async () => {
      await world.admin.get(`/api/pattern/${id}`);
      expect((await world.admin.get(`/api/pattern/${id}/validate`)).status).toBe(200);
      for (const form of ['design', 'json', 'kubernetes', 'helm'])
        await world.admin.get(`/api/pattern/download/${id}?export=${form}`);
    });
    expect(reading.map(({ task }) => task)).toEqual([
      'textsInWorker',
      'verdictInWorker',
      ...Array<string>(4).fill('exportInWorker'),
    ]);
    for (const { task, nodes } of [...importing, ...reading])
      expect({ task, few: nodes < 100 }).toEqual({ task, few: true });
  });

  it('while the same small design takes no worker but to be validated', async () => {
    const crossed = await crossing(async () => {
      const { status } = await world.admin.upload('/api/pattern/import', 'one.yaml', manifest.split('---')[0] ?? '');
      expect(status).toBe(201);
    });
    expect(crossed.map(({ task }) => task)).toEqual(['findingsInWorker']);
  });
});
