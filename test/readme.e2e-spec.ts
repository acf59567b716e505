import { randomUUID } from 'node:crypto';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { welcomeMessage } from '../src/auth/startup-messages.js';
import { CommandLine } from './support/command-line.js';
import { sharedCluster } from './support/cluster.js';
import { requires } from './support/requirements.js';
import { testRunFolder } from './support/test-run.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const CALLS = readFileSync(join(ROOT, 'docs/calls.md'), 'utf8');
const run = promisify(execFile);

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

/** The shell blocks of a chapter, in their order. */
function blocksOf(text: string, heading: string): string[] {
  const chapter = text.slice(text.search(new RegExp(`^##? ${heading}$`, 'm')));
  const end = chapter.indexOf('\n## ', 1);
  return [...chapter.slice(0, end < 0 ? undefined : end).matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block);
}

interface Pipeline {
  jobs: Record<string, { steps: { run?: string }[] }>;
  check: { script: string[] };
  deploy: { script: string[] };
}

/** A folder as a newcomer has it, as far as the calls use it. */
function folder(): string {
  const place = mkdtempSync(join(testRunFolder(), 'readme-'));
  cpSync(join(ROOT, 'scripts/demo'), join(place, 'scripts/demo'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(place, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));
  return place;
}

async function show(input: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'scripts/demo/show.mjs'), ...args]);
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, out, err };
}

requires('KUBEBUILDER_ASSETS', 'the main job of the README', (assets) => {
  it('takes five commands', async () => {
    const { kubeconfigFile } = await sharedCluster();
    const cli = await CommandLine.open();
    const place = folder();
    copyFileSync(cli.program, join(place, 'armature'));
    const [, main = '', after = ''] = blocksOf(README, 'The main job');
    expect(main.trim().split('\n')).toHaveLength(5);
    const pasted = `set -e\n${main}${after}`
      .replace('http://127.0.0.1:9081', world.baseUrl)
      .replace('admin@armature.local', `${world.admin.email} --password-stdin <<< '${PASSWORD}'`);
    const { stdout, stderr } = await run('bash', ['-c', pasted], {
      cwd: place,
      env: { PATH: process.env['PATH'], KUBECONFIG: kubeconfigFile, HOME: place },
    }).catch((error: { stdout: string; stderr: string }) => error);
    expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringMatching(/status +undeployed/) as string });
    expect(stdout).toMatch(/Plan for staging: 5 to create/);
    expect(stdout).toMatch(/Deployment +armature-demo +greeter +create +ready/);
    expect(stdout).toMatch(/5 resources: in sync\./);
    expect(readFileSync(join(place, 'design.svg'), 'utf8')).toContain('</svg>');
  }, 120_000);

  it('runs in pipelines as docs/pipelines has it', async () => {
    const { kubeconfigFile } = await sharedCluster();
    const cli = await CommandLine.open();
    await cli.signIn(world.baseUrl, world.admin.email ?? '', PASSWORD);
    await cli.call(['create', 'workspace', 'shop']);
    await cli.call(['cluster', 'add', '-e', 'staging', '-w', 'shop'], { env: { KUBECONFIG: kubeconfigFile } });
    const read = (name: string): Pipeline =>
      parse(readFileSync(join(ROOT, 'docs/pipelines', name), 'utf8')) as Pipeline;
    const { jobs } = read('github-actions.yaml');
    const { check, deploy } = read('gitlab-ci.yaml');
    const github = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run: script }) => script ?? []));
    for (const scripts of [github, [...check.script, ...deploy.script]]) {
      // The test of the built server does the same on the same cluster.
      const namespace = `pipeline-${randomUUID().slice(0, 8)}`;
      const place = folder();
      copyFileSync(cli.program, join(place, 'armature'));
      const manifest = `{apiVersion: v1, kind: Namespace, metadata: {name: ${namespace}}}`;
      writeFileSync(join(place, 'shop.yaml'), manifest);
      // The program of this test run stands in for the one that a built server serves.
      const script = scripts.filter((step) => !step.includes('/download/')).join('\n');
      const { stdout, stderr } = await run('bash', ['-ec', script], {
        cwd: place,
        env: {
          PATH: process.env['PATH'],
          HOME: place,
          ARMATURE_SERVER: world.baseUrl,
          ARMATURE_TOKEN: world.admin.token ?? '',
          ARMATURE_CHECK_TOKEN: world.admin.token ?? '',
          ARMATURE_WORKSPACE: 'shop',
        },
      }).catch((error: { stdout: string; stderr: string }) => error);
      expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringMatching(/status +succeeded/) as string });
      expect(stdout).toMatch(new RegExp(`${namespace} will be created`));
    }
  }, 120_000);

  requires('CURL_BIN', 'with curl', () => {
    it('works as it is pasted, block after block', async () => {
      const { kubeconfigFile } = await sharedCluster();
      const deployments = readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8');
      const main = blocksOf(CALLS, 'The main job, call by call')
        .filter((block) => !block.includes('graphql-ws'))
        .map((block) =>
          block.startsWith('api DELETE')
            ? [...blocksOf(deployments, 'Change and deploy again'), block].join('\n')
            : block,
        );
      const pasted = main
        .join('\n')
        .replace('http://127.0.0.1:9081', world.baseUrl)
        .replace('admin@armature.local', world.admin.email ?? '')
        .replace('the password it printed', PASSWORD);
      const place = folder();
      const { stdout, stderr } = await run('bash', ['-c', pasted], {
        cwd: place,
        env: { PATH: `${assets}:${process.env['PATH']}`, KUBECONFIG: kubeconfigFile, HOME: place },
      }).catch((error: { stdout: string; stderr: string }) => error);
      expect({ stdout, stderr }).toMatchObject({
        stdout: expect.stringContaining('signed in, organization') as string,
      });
      expect(stderr).toMatch(/CONTEXT +CONNECTION_ID\ntest /);
      expect(stderr).toMatch(/Deployment +greeter +create\n/);
      expect(stderr).toMatch(/Deployment +greeter +ready\n/);
      expect(stderr).toMatch(/Deployment +greeter +unchanged\n/);
      expect(stdout).toContain('/configuration/spec/replicas');
      expect(stderr).toMatch(/Deployment +greeter +update\n/);
      expect(stderr).toMatch(/Deployment +greeter +deleted\n/);
      expect(stdout.match(/^(succeeded|undeployed)$/gm)).toEqual(['succeeded', 'succeeded', 'succeeded', 'undeployed']);
      expect(stdout).toMatch(/^deployment +undeployed +\w/m);
      expect(readFileSync(join(place, 'design.svg'), 'utf8')).toContain('</svg>');
    }, 120_000);
  });
});

describe('show', () => {
  it('prints a field, a table, both, events, or the whole answer', async () => {
    const answer = JSON.stringify({
      id: 'x',
      list: [
        { kind: 'Pod', name: 'a', at: null },
        { kind: 'Service', name: 'b' },
      ],
    });
    const rows = 'KIND     NAME  AT\nPod      a\nService  b\n';
    expect(await show(answer, '.id')).toEqual({ code: 0, out: 'x\n', err: '' });
    expect(await show(answer, '.list[1].name')).toEqual({ code: 0, out: 'b\n', err: '' });
    expect(await show(answer, 'list', 'kind', 'name', 'at')).toEqual({ code: 0, out: rows, err: '' });
    expect(await show(answer, '.id', 'list', 'kind', 'name', 'at')).toEqual({ code: 0, out: 'x\n', err: rows });
    expect(await show('id: 1\ndata: {"action":"made"}\n\n', '.', 'action')).toMatchObject({ out: 'ACTION\nmade\n' });
    expect(JSON.parse((await show(answer)).out)).toEqual(JSON.parse(answer));
  });

  it('prints the detail, the faults and the remedy of an error, and ends with 1 so that no further call is made', async () => {
    const { body } = await world.admin.post('/api/environments', { name: '' });
    const shown = await show(JSON.stringify(body), '.id');
    expect({ code: shown.code, out: shown.out }).toEqual({ code: 1, out: '' });
    for (const said of [body.code, body.detail, body.errors[0].detail, `Remedy: ${body.remedy}`])
      expect(shown.err).toContain(said);
    const graphql = await world.admin.post('/api/system/graphql/query', {
      query: '{ deployments(orgID: "x") { total_count } }',
    });
    const second = await show(JSON.stringify(graphql.body), '.data');
    expect({ code: second.code, said: second.err }).toEqual({
      code: 1,
      said: expect.stringContaining('Remedy: ') as string,
    });
    for (const input of ['', 'no JSON', '{}']) expect((await show(input, '.id')).code).toBe(1);
  });
});

requires('CURL_BIN', 'the three calls that the first start prints', () => {
  it('can be pasted, end with a line break, and leave the names of the README alone', async () => {
    const { token, id: userId, email = '' } = world.admin;
    const message = welcomeMessage(world.baseUrl, {
      token: token ?? '',
      userId,
      email,
      organizationId: world.organization,
      generatedPassword: 'x',
    });
    const calls = message.slice(message.indexOf('export TOKEN'), message.indexOf('Reference:'));
    const { stdout } = await run('sh', ['-c', calls]);
    const answers = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(stdout.endsWith('\n')).toBe(true);
    expect(answers).toMatchObject([
      { total_count: 1 },
      { name: 'sandbox' },
      { data: { environments: { total_count: expect.any(Number) as number } } },
    ]);
    expect(README).not.toContain('sandbox');
  });
});

it('what the README has its reader write is not offered to Git', () => {
  const written = [...`${README}${CALLS}`.matchAll(/ > ([\w.]+)| --file ([\w.]+)/g)].map(
    ([, name, other = '']) => name ?? other,
  );
  const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
  expect(written).toContain('cluster.kubeconfig');
  for (const name of written)
    expect(ignored.some((line) => line === `/${name}` || line === `*${extname(name)}`)).toBe(true);
});
