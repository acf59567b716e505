import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requires } from '../../../test/support/requirements.js';
import { findExecutable } from '../../core/find-executable.js';
import { removeAbandonedFolders } from './abandoned-folders.js';
import { Isolation } from './isolation.js';
import { script } from './program.fixture.js';
import { type ProgramBounds, ProgramRunner, type ProgramResult } from './program-runner.js';
import { LocalRenderEngines } from '../engines/local-render-engines.js';

const files = (texts: Record<string, string>): Map<string, Uint8Array> =>
  new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)]));

const [best] = await new ProgramRunner().isolations();
/** With isolation, where the system supports it, and without. */
const modes = best?.isIsolated ? (['auto', 'off'] as const) : (['off'] as const);

describe.each(modes)('running a program (isolation %s)', (mode) => {
  async function run(
    body: string,
    bounds: Partial<ProgramBounds> = {},
    given: Map<string, Uint8Array> = new Map(),
  ): Promise<ProgramResult> {
    const program = await script('program', body);
    const runner = new ProgramRunner(bounds, mode);
    return runner
      .run(program.path, { args: ['one', 'two words'], files: given, subject: 'chart.tgz' })
      .finally(program.remove);
  }

  it('hands it arguments and files, and answers what it wrote and how it ended', async () => {
    const body =
      'read -r line < a/b.txt; echo "$1,$2,$line"; echo "oops in $PWD/a/b.txt or $PWD, from $0, $HOME/x and $TMPDIR." >&2; exit 3';
    await expect(run(body, {}, files({ 'a/b.txt': 'hello\n' }))).resolves.toEqual({
      status: 3,
      stdout: 'one,two words,hello\n',
      stderr: 'oops in a/b.txt or ., from chart.tgz, … and …\n',
    });
  });

  it('gives it an API by a kubeconfig, and loses nothing of a long output', async () => {
    const body = 'read -r line < "$KUBECONFIG"; echo "$line"; i=0; while [ $i -lt 20000 ]; do echo 0123456789012345678; i=$((i+1)); done; exit 3'; // prettier-ignore
    const program = await script('program', body);
    const api = () => ({ status: 200, body: {} });
    const { status, stdout } = await new ProgramRunner({}, mode).run(program.path, { args: [], api }).finally(program.remove); // prettier-ignore
    const [kubeconfig = '', ...lines] = stdout.split('\n');
    expect(JSON.parse(kubeconfig)).toMatchObject({
      clusters: [{ cluster: { server: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/) as string } }],
    });
    expect([status, lines.length]).toEqual([3, 20_001]);
  });

  it('gives it nothing of the environment, and a folder of its own that is gone afterwards', async () => {
    // A thread has an environment of its own.
    process.env['SECRET_OF_THE_SERVER'] = 'secret';
    const { stdout: output } = await run('set; echo "$PWD"').finally(() => delete process.env['SECRET_OF_THE_SERVER']);
    expect(output).not.toContain('SECRET_OF_THE_SERVER');
    expect(output).not.toMatch(/^PATH=.*(?:usr|sbin)/m);
    const work = output.trim().split('\n').at(-1) ?? '';
    expect(output).toContain(`HOME='${dirname(work)}/home'`);
    expect(existsSync(dirname(work))).toBe(false);
  });

  it('lets nobody else into that folder', async () => {
    const program = await script('program', 'echo "$PWD"; while [ ! -e done ]; do :; done');
    const runner = new ProgramRunner({ timeLimit: 1_000 }, mode);
    const before = process.env['TMPDIR'];
    const place = mkdtempSync(join(tmpdir(), 'alone-'));
    process.env['TMPDIR'] = place;
    const running = runner.run(program.path, { args: [] }).catch(() => undefined);
    await sleep(200);
    const folders = readdirSync(place);
    expect(folders.length).toBeGreaterThan(0);
    for (const folder of folders) expect(statSync(join(place, folder)).mode & 0o777).toBe(0o700);
    runner.close();
    await running;
    setTemporaryFolder(before);
    rmSync(place, { recursive: true });
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

  it('ends it when it uses too much memory', async () => {
    const grows =
      'x=xxxxxxxxxxxxxxxx; i=0; while [ $i -lt 20 ]; do x="$x$x"; i=$((i+1)); done; a=$x; b=$x; c=$x; d=$x; while :; do :; done';
    await expect(run(grows, { memory: 64 })).rejects.toMatchObject({
      code: 'TOO_COSTLY',
      errors: [{ detail: 'rendering it needs more than 64 MB of memory' }],
    });
  });

  it('limits what it may write to, and not what it reserves, where its use is seen', async () => {
    const isSeen = existsSync('/proc/self/status');
    const { stdout } = await run('ulimit -d; ulimit -v', { memory: 64 });
    expect(stdout).toBe(isSeen ? `${64 * 2 * 1024}\nunlimited\n` : `unlimited\n${64 * 6 * 1024}\n`);
  });

  it('says of a program that gives up what it may have asked for and what it used', async () => {
    const fails = 'echo "fatal error: runtime: cannot allocate memory" >&2; exit 2';
    await expect(run(fails, { memory: 512 })).rejects.toMatchObject({
      code: 'TOO_COSTLY',
      errors: [
        {
          detail: expect.stringMatching(
            /^rendering it asks for more memory than there is, or than \d+ MB of (?:memory|address space); \d+ MB were in use/,
          ) as string,
        },
      ],
    });
  });

  requires('KUBEBUILDER_ASSETS', 'a Kustomization', (assets) => {
    const kubectl = join(assets, 'kubectl');
    const memory = 128;
    /** kubectl takes some 150 times the size of such a file. */
    const build = (resources: number): Promise<ProgramResult> => {
      const data = Array.from({ length: 500 }, (_, key) => `  k${key}: v${key}\n`).join('');
      const maps = Array.from(
        { length: resources },
        (_, at) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${at}}\ndata:\n${data}`,
      );
      const given = files({ 'kustomization.yaml': 'resources: [all.yaml]', 'all.yaml': maps.join('---\n') });
      const runner = new ProgramRunner({ memory }, mode);
      return runner.run(kubectl, { args: ['kustomize', '.'], files: given, subject: 'shop.tgz' });
    };

    it('renders within its memory, although kubectl reserves many times that', async () => {
      await expect(build(10)).resolves.toMatchObject({ status: 0, stderr: '' });
    });

    it('is ended beyond it', async () => {
      await expect(build(300)).rejects.toMatchObject({
        code: 'TOO_COSTLY',
        errors: [{ file: 'shop.tgz', detail: `rendering it needs more than ${memory} MB of memory` }],
      });
    });
  });

  it('ends it when it starts too many processes', async () => {
    const body = 'i=0; while [ $i -lt 100 ]; do (while :; do :; done) & i=$((i+1)); done; wait';
    await expect(run(body, { timeLimit: 10_000 })).rejects.toMatchObject({
      errors: [{ detail: 'rendering it starts more than 32 processes' }],
    });
  });

  it('refuses files that cannot lie beside one another, or lead out', async () => {
    await expect(run(':', {}, files({ a: '1', 'a/b': '2' }))).rejects.toMatchObject({ status: 400 });
    await expect(run(':', {}, files({ '../a': '1' }))).rejects.toMatchObject({ status: 400 });
    await expect(run(':', {}, files({ ['x'.repeat(300)]: '1' }))).rejects.toMatchObject({ status: 400 });
  });

  it('runs so many at once, lets some wait, and sends the others away', async () => {
    const program = await script('program', 'while :; do :; done');
    const runner = new ProgramRunner({ size: 1, waiting: 1, timeLimit: 300 }, mode);
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => runner.run(program.path, { args: [] })));
    await program.remove();
    expect(outcomes.map((each) => (each as { reason: { code: string } }).reason.code).sort()).toEqual([
      'TOO_BUSY',
      'TOO_COSTLY',
      'TOO_COSTLY',
    ]);
  });
});

(best?.isIsolated ? describe : describe.skip)('an isolated program', () => {
  const run = async (body: string): Promise<ProgramResult> => {
    const program = await script('program', body);
    return new ProgramRunner({}, 'require').run(program.path, { args: [] }).finally(program.remove);
  };

  it('sees the system and its own files, and no others', async () => {
    const { stdout: output } = await run(
      'echo /*; echo /root/* /home/*; echo "${0%/*/*}"/*; echo "${0%/*}"; echo /proc/*',
    );
    const [root = '', homes, beside, own, processes] = output.split('\n');
    expect(
      root
        .split(' ')
        .filter((path) => !/^\/(?:usr|bin|sbin|lib\d*)$/.test(path))
        .sort(),
    ).toEqual(['/armature-run', '/dev', '/old', '/proc', own?.split('/', 2).join('/')].sort());
    expect(homes).toBe('/root/* /home/*');
    expect(beside).toBe(own);
    expect(processes).toBe('/proc/*');
  });

  it('writes only to its own files', async () => {
    const { stdout: output } = await run(
      'for f in /x /usr/x /bin/x "$PWD/x"; do (: > "$f") 2>/dev/null && echo "$f"; done; :',
    );
    expect(output).toBe('/armature-run/work/x\n');
  });

  it('reaches nobody', async () => {
    const { stdout: output } = await run('/usr/bin/cat /sys/class/net/*/address /proc/net/dev 2>/dev/null; echo done');
    expect(output).toBe('done\n');
  });
});

describe('a system without isolation', () => {
  const probe = jest.spyOn(Isolation, 'probe');
  beforeEach(() => probe.mockResolvedValue(Isolation.none));
  afterAll(() => probe.mockRestore());

  it('runs programs all the same, unless isolation is required', async () => {
    const program = await script('helm', 'exit 0');
    const paths = { helm: program.path, kustomize: '' };
    const able = new LocalRenderEngines(paths, undefined, {}, { mode: 'auto' });
    expect([await able.checkIsolation(), await able.helm.isAvailable()]).toEqual([false, true]);
    const strict = new LocalRenderEngines(paths, undefined, {}, { mode: 'require' });
    await expect(strict.checkIsolation()).rejects.toThrow('PROGRAM_ISOLATION=require');
    expect(await strict.helm.isAvailable()).toBe(false);
    await program.remove();
  });
});

(best?.isIsolated ? describe : describe.skip)('a program that cannot be isolated', () => {
  it('runs without, and is reported', async () => {
    // Like the shim of a version manager, which starts a program that is not available in an isolated run.
    const target = await script('helm', 'exit 0');
    const shim = await script('helm', `exec ${target.path}`);
    const exposed: string[] = [];
    const programs = new LocalRenderEngines(
      { helm: shim.path },
      undefined,
      {},
      { onExposed: (path) => exposed.push(path) },
    );
    expect([await programs.helm.isAvailable(), exposed]).toEqual([true, [shim.path]]);
    const strict = new LocalRenderEngines({ helm: shim.path }, undefined, {}, { mode: 'require' });
    expect(await strict.helm.isAvailable()).toBe(false);
    await target.remove();
    await shim.remove();
  });
});

describe('Temporary folders', () => {
  it('of processes that were killed are removed, and no others', async () => {
    const before = process.env['TMPDIR'];
    const folder = mkdtempSync(join(tmpdir(), 'abandoned-'));
    process.env['TMPDIR'] = folder;
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const make = (name: string, at?: Date): void => {
      mkdirSync(join(folder, name, 'work'), { recursive: true });
      if (at) utimesSync(join(folder, name), at, at);
    };
    make(`armature-run-${ended}-dead`);
    make('armature-run-0-nobody');
    make(`armature-run-${process.pid}-earlier`, new Date(2020, 1));
    const kept = [`armature-run-${process.pid}-now`, 'armature-run-1-init', 'armature-run-x', 'somebody-elses'];
    kept.forEach((name) => make(name));
    symlinkSync(join(folder, 'somebody-elses'), join(folder, `armature-run-${ended}-link`));
    try {
      await removeAbandonedFolders();
      expect(readdirSync(folder).sort()).toEqual([...kept, `armature-run-${ended}-link`].sort());
      expect(readdirSync(join(folder, 'somebody-elses'))).toEqual(['work']);
    } finally {
      setTemporaryFolder(before);
      rmSync(folder, { recursive: true });
    }
  });
});

function setTemporaryFolder(path: string | undefined): void {
  if (path === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = path;
}

/** Whether this user may mount a small disk, and can. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  const isMounted = findExecutable('umount') !== undefined && mountDisk(folder);
  if (isMounted) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return isMounted;
}

const mountDisk = (folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]).status === 0;

(canMount() ? describe : describe.skip)('a disk that is full', () => {
  const before = process.env['TMPDIR'];
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'disk-'));
    mountDisk(folder);
    process.env['TMPDIR'] = folder;
  });
  afterAll(() => {
    setTemporaryFolder(before);
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  });

  it('is answered 503, leaves nothing behind, and is over when there is space again', async () => {
    process.env['TMPDIR'] = before ?? '/tmp';
    const program = await script('program', 'echo done');
    const double = 's=x; i=0; while [ $i -lt 20 ]; do s="$s$s"; i=$((i + 1)); done';
    const writing = await script('writing', `${double}; printf %s "$s" > "$TMPDIR/x" || exit 1`);
    process.env['TMPDIR'] = folder;
    const runner = new ProgramRunner({}, 'off');
    const full = { status: 503, code: 'DISK_FULL', headers: { 'Retry-After': '60' } };
    const large = new Map([['large', new Uint8Array(3_000_000)]]);
    await expect(runner.run(program.path, { args: [], files: large })).rejects.toMatchObject(full);
    expect(readdirSync(folder)).toEqual([]);
    const half = new Map([['half', new Uint8Array(1_200_000)]]);
    await expect(runner.run(writing.path, { args: [], files: half })).rejects.toMatchObject(full);
    await expect(runner.run(program.path, { args: [] })).resolves.toMatchObject({ status: 0, stdout: 'done\n' });
    expect(readdirSync(folder)).toEqual([]);
    await Promise.all([program.remove(), writing.remove()]);
  });
});
