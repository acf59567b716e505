import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AppError } from '../../core/errors/app-error.js';
import { DocumentReader } from './document-reader.js';
import { defineTask, type Task } from '../../core/workers/task.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { compiledProgram } from '../../../test/support/programs.js';

/** A module of plain JavaScript with tasks that misbehave. */
const source = `
export const double = (n) => n * 2;
export const forever = () => { for (;;); };
export const hungry = () => { const kept = []; for (;;) kept.push(new Array(1000).fill('x' + kept.length)); };
export const leave = () => process.exit(3);
export const broken = () => { throw new TypeError('broken'); };
export const curious = async (question, ask) => [await ask(question), await ask(question)];
export const slowly = async (times, ask) => {
  for (let turn = 0; turn < times; turn += 1) {
    const end = performance.now() + 100;
    while (performance.now() < end);
    await ask(turn);
  }
};
export const given = ({ bytes }) => bytes.byteLength;
`;
const module = `data:text/javascript,${encodeURIComponent(source)}`;
const task = <Input, Output>(name: string): Task<Input, Output> =>
  defineTask(module, { [name]: (): Promise<Output> => Promise.reject(new Error('runs in workers only')) });
const manifest = (count: number) => ({
  path: 'many.yaml',
  bytes: new TextEncoder().encode(
    Array.from({ length: count }, (_, index) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c${index}\ndata:\n  key: value\n`).join('---\n'), // prettier-ignore
  ),
});

/** On a machine that is very busy the time passes before the processor time does. */
const TOO_LONG = { code: expect.stringMatching(/^TOO_(COSTLY|BUSY)$/) as string };

describe('WorkerPool', () => {
  let pool: WorkerPool;
  afterEach(() => pool.close());

  it('runs tasks and hands their values back', async () => {
    pool = new WorkerPool();
    await expect(Promise.all([1, 2, 3, 4, 5].map((n) => pool.run(task<number, number>('double'), n)))).resolves.toEqual(
      [2, 4, 6, 8, 10],
    );
  });

  it('ends a task that takes too long, and goes on with the next', async () => {
    pool = new WorkerPool({ size: 1, timeLimit: 500, niceness: 0 });
    const slow = pool.run(task('forever'), null);
    const next = pool.run(task<number, number>('double'), 4);
    await expect(slow).rejects.toMatchObject(TOO_LONG);
    await expect(next).resolves.toBe(8);
  }, 60_000);

  it('ends a task that takes too much memory', async () => {
    pool = new WorkerPool({ size: 1, memory: 64 });
    await expect(pool.run(task('hungry'), null)).rejects.toMatchObject({ status: 400, code: 'TOO_COSTLY' });
    await expect(pool.run(task<number, number>('double'), 4)).resolves.toBe(8);
  }, 60_000);

  it('survives a worker that leaves and a task that breaks', async () => {
    pool = new WorkerPool({ size: 1 });
    await expect(pool.run(task('leave'), null)).rejects.toThrow('ended');
    await expect(pool.run(task('broken'), null)).rejects.toThrow('broken');
    await expect(pool.run(task('missing'), null)).rejects.toThrow('missing');
    await expect(pool.run(task('double'), () => 1)).rejects.toThrow('cloned');
    await expect(pool.run(task<number, number>('double'), 4)).resolves.toBe(8);
  });

  it('answers in the context of the caller of the task, not of the caller that started the worker', async () => {
    pool = new WorkerPool({ size: 1 });
    const context = new AsyncLocalStorage<string>();
    const ask = task<number, string[]>('curious');
    const answer = () => Promise.resolve(context.getStore());
    const asked = (who: string) => context.run(who, () => pool.run(ask, 1, { answerQuestion: answer }));
    expect(await asked('first')).toEqual(['first', 'first']);
    expect(await asked('second')).toEqual(['second', 'second']);
    expect(await pool.run(ask, 1, { answerQuestion: answer })).toEqual([undefined, undefined]);
  });

  it('gives a task its time once, however often it asks', async () => {
    pool = new WorkerPool({ size: 1, timeLimit: 1000, niceness: 0 });
    const answer = () => Promise.resolve(null);
    await expect(pool.run(task('slowly'), 2, { answerQuestion: answer })).resolves.toBeUndefined();
    await expect(pool.run(task('slowly'), 200, { answerQuestion: answer })).rejects.toMatchObject(TOO_LONG);
  }, 60_000);

  it('ends a task that is answered with what cannot cross over', async () => {
    pool = new WorkerPool({ size: 1 });
    const answer = () => Promise.resolve(() => 1);
    await expect(pool.run(task('curious'), 1, { answerQuestion: answer })).rejects.toThrow('cloned');
    await expect(pool.run(task<number, number>('double'), 4)).resolves.toBe(8);
  });

  it('answers what tasks ask, as often as they ask, or reports why not', async () => {
    pool = new WorkerPool({ size: 1 });
    const ask = task<number, number[]>('curious');
    let asked = 0;
    await expect(pool.run(ask, 4, { answerQuestion: (n) => Promise.resolve(Number(n) + (asked += 1)) })).resolves.toEqual([5, 6]); // prettier-ignore
    const busy = new AppError(429, 'TOO_BUSY', 'Too busy', 'later', {
      remedy: 'Try again.',
      headers: { 'Retry-After': '5' },
    });
    const answer = pool.run(ask, 4, { answerQuestion: () => Promise.reject(busy) });
    await expect(answer).rejects.toMatchObject({ status: 429, code: 'TOO_BUSY', headers: { 'Retry-After': '5' } });
    await expect(pool.run(ask, 4)).rejects.toThrow('No handler answers');
  });

  it('counts no time of a task while it waits for an answer, and lets others run in the meantime', async () => {
    pool = new WorkerPool({ size: 1, timeLimit: 500, niceness: 0 });
    let answer = (): void => undefined;
    const slow = new Promise<number>((resolve) => (answer = () => resolve(1)));
    const asking = pool.run(task<number, number[]>('curious'), 1, { answerQuestion: () => slow });
    await expect(pool.run(task('forever'), null)).rejects.toMatchObject(TOO_LONG);
    await expect(pool.run(task<number, number>('double'), 4)).resolves.toBe(8);
    answer();
    await expect(asking).resolves.toEqual([1, 1]);
  }, 60_000);

  it('hands buffers over instead of copying them', async () => {
    pool = new WorkerPool({ size: 1 });
    const bytes = new Uint8Array(1000);
    const given = pool.run(task<object, number>('given'), { bytes }, { transferList: [bytes.buffer] });
    expect(bytes.length).toBe(0);
    await expect(given).resolves.toBe(1000);
  });

  it('refuses when too many tasks wait, with a time to come back', async () => {
    pool = new WorkerPool({ size: 1, waiting: 1, timeLimit: 500, niceness: 0 });
    const running = pool.run(task('forever'), null);
    const waiting = pool.run(task<number, number>('double'), 4);
    await expect(pool.run(task('double'), 1)).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '5' } });
    await expect(running).rejects.toThrow();
    await expect(waiting).resolves.toBe(8);
  }, 60_000);

  it('rejects what is running or waiting when it is closed', async () => {
    pool = new WorkerPool({ size: 1 });
    const results = Promise.allSettled([pool.run(task('forever'), null), pool.run(task('double'), 1)]);
    await pool.close();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(pool.run(task('double'), 1)).rejects.toThrow('closed');
  });
});

describe('DocumentReader', () => {
  const pool = new WorkerPool();
  afterAll(() => pool.close());

  it('reads and writes large files in a worker, from the TypeScript sources', async () => {
    const documents = await new DocumentReader(pool).parse(manifest(1000));
    expect(documents).toHaveLength(1000);
    expect(documents[999]?.findPosition('/metadata/name')).toEqual({ line: 6997, column: 3 });
    const text = await new DocumentReader(pool).toYaml(
      documents.map(({ value }) => value),
      1_000_000,
    );
    expect(text).toBe(new TextDecoder().decode(manifest(1000).bytes));
  });

  it('hands located faults over from the worker', async () => {
    const file = { path: 'bad.yaml', bytes: Buffer.concat([manifest(1000).bytes, Buffer.from('a: 1\na: 2\n')]) };
    await expect(new DocumentReader(pool).parse(file)).rejects.toMatchObject({
      status: 400,
      errors: [{ file: 'bad.yaml', line: 7001, column: 1 }],
    });
  });

  it('works from compiled files too', async () => {
    const reader = await compiledProgram('src/formats/documents/document-reader.ts');
    const pool = await compiledProgram('src/core/workers/worker-pool.ts');
    const script = `
      const { WorkerPool } = await import(${JSON.stringify(pool)});
      const { DocumentReader } = await import(${JSON.stringify(reader)});
      const pool = new WorkerPool();
      const bytes = new TextEncoder().encode('- a: 1\\n'.repeat(10000));
      const [document] = await new DocumentReader(pool).parse({ path: 'a.yaml', bytes });
      console.log(document.value.length);
      await pool.close();`;
    const run = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(run.stdout.trim()).toBe('10000');
  }, 90_000);
});
