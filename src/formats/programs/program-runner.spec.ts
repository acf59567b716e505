import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { script } from './program.fixture.js';
import { type ProgramBounds, ProgramRunner, type Run } from './program-runner.js';

const files = (texts: Record<string, string>): Map<string, Uint8Array> =>
  new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)]));

async function run(
  body: string,
  bounds: Partial<ProgramBounds> = {},
  given: Map<string, Uint8Array> = new Map(),
): Promise<Run> {
  const program = await script('program', body);
  return new ProgramRunner(bounds).run(program.path, ['one', 'two words'], given, 'chart.tgz').finally(program.remove);
}

describe('running a program', () => {
  it('hands it arguments and files, and answers what it wrote and how it ended', async () => {
    const body = 'read -r line < a/b.txt; echo "$1,$2,$line"; echo oops in "$PWD/a/b.txt" >&2; exit 3';
    await expect(run(body, {}, files({ 'a/b.txt': 'hello\n' }))).resolves.toEqual({
      status: 3,
      output: 'one,two words,hello\n',
      said: 'oops in a/b.txt\n',
    });
  });

  it('gives it nothing of the environment, and a folder of its own that is gone afterwards', async () => {
    // Jest itself is run with this variable, so nothing of the thread's environment has to be changed here.
    expect(process.env['NODE_OPTIONS']).toBeTruthy();
    const { output } = await run('set; echo "$PWD"');
    expect(output).not.toContain('NODE_OPTIONS');
    expect(output).not.toMatch(/^PATH=.*(?:usr|sbin)/m);
    const work = output.trim().split('\n').at(-1) ?? '';
    expect(output).toContain(`HOME='${dirname(work)}/home'`);
    expect(existsSync(dirname(work))).toBe(false);
  });

  it('lets nobody else into that folder', async () => {
    const program = await script('program', 'echo "$PWD"; while [ ! -e done ]; do :; done');
    const runner = new ProgramRunner({ timeLimit: 1_000 });
    const running = runner.run(program.path, []).catch(() => undefined);
    await sleep(200);
    const { readdirSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('armature-run-'));
    expect(folders.length).toBeGreaterThan(0);
    for (const folder of folders) expect(statSync(`${tmpdir()}/${folder}`).mode & 0o777).toBe(0o700);
    runner.close();
    await running;
    await program.remove();
  });

  it('ends it when it takes too long, with all that it started', async () => {
    const started = performance.now();
    await expect(run('(while :; do :; done) & while :; do :; done', { timeLimit: 300 })).rejects.toMatchObject({
      status: 400,
      code: 'TOO_COSTLY',
      errors: [{ file: 'chart.tgz', detail: 'rendering it took longer than 300 ms' }],
    });
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('ends it when it writes too much', async () => {
    const failed = run('while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxx; done', { output: 100_000 });
    await expect(failed).rejects.toMatchObject({ code: 'TOO_COSTLY' });
  });

  it('ends it when it needs too much memory', async () => {
    const body = 'x=xxxxxxxxxxxxxxxx; while :; do x="$x$x" || exit 9; done';
    const ended = await run(body, { memory: 64, timeLimit: 10_000 }).catch((error: Error) => error);
    if (ended instanceof Error) expect(ended).toMatchObject({ code: 'TOO_COSTLY' });
    else expect(ended.status).not.toBe(0);
  });

  it('refuses files that cannot lie beside one another, or lead out', async () => {
    await expect(run(':', {}, files({ a: '1', 'a/b': '2' }))).rejects.toMatchObject({ status: 400 });
    await expect(run(':', {}, files({ '../a': '1' }))).rejects.toMatchObject({ status: 400 });
    await expect(run(':', {}, files({ ['x'.repeat(300)]: '1' }))).rejects.toMatchObject({ status: 400 });
  });

  it('runs so many at once, lets some wait, and sends the others away', async () => {
    const program = await script('program', 'while :; do :; done');
    const runner = new ProgramRunner({ atOnce: 1, waiting: 1, timeLimit: 300 });
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => runner.run(program.path, [])));
    await program.remove();
    expect(outcomes.map((each) => (each as { reason: { code: string } }).reason.code).sort()).toEqual([
      'TOO_BUSY',
      'TOO_COSTLY',
      'TOO_COSTLY',
    ]);
  });
});
