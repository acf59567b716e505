import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { kindNames } from '../clients/cli/src/apply/kinds.js';
import { parseJsonPath } from '../clients/cli/src/jsonpath.js';
import { sharedCluster } from './support/cluster.js';
import { CommandLine } from './support/command-line.js';
import type { Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { SELF_SIGNED } from './support/self-signed.js';
import { PASSWORD } from './support/settings.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

const run = promisify(execFile);

let world: World;
let cli: CommandLine;

beforeAll(async () => {
  world = await World.start();
  cli = await CommandLine.open();
  await cli.signIn(world.baseUrl, world.admin.email ?? '', PASSWORD);
}, 120_000);
afterAll(() => world.stop());

const file = (name: string, content: string, where = cli): string => {
  const path = join(where.folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
};

const configMap = (name: string, namespace: string, value = '1'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, namespace: ${namespace} }\ndata: { value: "${value}" }\n`;
const namespaced = (namespace: string, ...documents: string[]): string =>
  [`apiVersion: v1\nkind: Namespace\nmetadata: { name: ${namespace} }\n`, ...documents].join('---\n');

describe('signing in', () => {
  it('keeps the session in a file that only its user reads, and needs a secret on standard input', async () => {
    const own = await CommandLine.open();
    const email = world.admin.email ?? '';
    const asked = await own.call(['login', world.baseUrl, '--email', email]);
    expect(asked).toMatchObject({ code: 64, out: '', err: expect.stringContaining('--password-stdin') as string });
    const wrong = await own.signIn(world.baseUrl, email, 'not the password');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).not.toContain('not the password');
    expect(await own.call(['whoami'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('armature login') as string,
    });

    expect(await own.signIn(world.baseUrl, email, PASSWORD, '--context', 'home')).toMatchObject({ code: 0, out: '' });
    expect(statSync(own.configFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(own.configFile, 'utf8')).not.toContain(PASSWORD);
    expect(await own.json(['whoami'])).toMatchObject({ email });
    expect(await own.json(['context', 'list'])).toEqual([
      expect.objectContaining({ name: 'home', server: world.baseUrl, current: true, workspace: 'Default' }),
    ]);

    // The session ends also when its token has ended before.
    const config = JSON.parse(readFileSync(own.configFile, 'utf8'));
    const { refresh_token: session, token } = config.contexts.home;
    const headers = { Authorization: `Bearer ${token as string}` };
    expect((await fetch(`${world.baseUrl}/api/identity/users/profile`, { headers })).status).toBe(200);
    Object.assign(config.contexts.home, { token: 'ended', expires_at: new Date(0).toISOString() });
    writeFileSync(own.configFile, JSON.stringify(config));
    expect(await own.json(['logout'])).toMatchObject({ name: 'home', signed_in: false });
    expect((await fetch(`${world.baseUrl}/api/identity/users/profile`, { headers })).status).toBe(401);
    expect(await world.stranger.post('/api/auth/refresh', { refresh_token: session })).toMatchObject({ status: 401 });
    expect(readFileSync(own.configFile, 'utf8')).not.toContain(session as string);
    expect((await own.call(['context', 'use', 'home', '-o', 'name'])).out).toBe('context/home\n');
    expect(await own.json(['context', 'delete', 'home'])).toMatchObject({ name: 'home', current: false });
    expect(await own.call(['context', 'use', 'office'])).toMatchObject({ code: 1 });
  });

  it('renews a token that ends, once for programs that run at the same time', async () => {
    const own = await CommandLine.open();
    await own.signIn(world.baseUrl, world.admin.email ?? '', PASSWORD, '--context', 'home');
    const config = JSON.parse(readFileSync(own.configFile, 'utf8'));
    config.contexts.home.expires_at = new Date().toISOString();
    writeFileSync(own.configFile, JSON.stringify(config));
    const calls = await Promise.all([1, 2, 3, 4].map(() => own.call(['whoami', '-o', 'name'])));
    expect(calls.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const renewed = JSON.parse(readFileSync(own.configFile, 'utf8')).contexts.home;
    expect(renewed.refresh_token).not.toBe(config.contexts.home.refresh_token);
    expect(Date.parse(renewed.expires_at as string)).toBeGreaterThan(Date.now());
  });

  it('sends a saved token to the server that it was made for, and to no other', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers);
      response.setHeader('Content-Type', 'application/json').end('{"version":"9.9.9"}');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const server = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    try {
      const refused = await cli.call(['list', 'environments', '--server', server]);
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('ARMATURE_TOKEN') as string });
      const variable = await cli.call(['list', 'environments'], { env: { ARMATURE_SERVER: server } });
      expect(variable).toMatchObject({ code: 1, out: '' });
      expect(seen).toEqual([]);
      expect(await cli.json(['version', '--server', server])).toEqual({ client: '0.1.0', server: '9.9.9' });
      expect(seen.map(({ authorization }) => authorization)).toEqual([undefined]);
      await cli.call(['api', 'GET', '/api/environments', '--server', server], { env: { ARMATURE_TOKEN: 'given' } });
      expect(seen.at(-1)?.authorization).toBe('Bearer given');
    } finally {
      other.close();
    }
    const plain = await cli.call(['whoami', '--server', 'http://armature.example'], { env: { ARMATURE_TOKEN: 'x' } });
    expect(plain).toMatchObject({ code: 1, err: expect.stringContaining('--insecure-http') as string });
    const away = await cli.call(['whoami', '--server', 'http://127.0.0.1:1'], {
      env: { ARMATURE_TOKEN: 'very-secret' },
    });
    expect(away).toMatchObject({ code: 1, out: '', err: expect.stringContaining('127.0.0.1:1') as string });
    expect(away.err).not.toContain('very-secret');
  }, 120_000);

  it('loses no change when several programs write the file', async () => {
    const own = await CommandLine.open();
    const names = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(
      names.map((name) =>
        own.call(['login', world.baseUrl, '--token-stdin', '--context', name], { input: world.admin.token ?? '' }),
      ),
    );
    expect((await own.json<{ name: string }[]>(['context', 'list'])).map(({ name }) => name).sort()).toEqual(names);
    writeFileSync(own.configFile, 'no contexts');
    expect(await own.call(['whoami'])).toMatchObject({
      code: 1,
      err: expect.stringContaining(own.configFile) as string,
    });
  });
});

describe('the way to the server', () => {
  it('trusts the authorities of ARMATURE_CA_FILE, and goes through HTTPS_PROXY but to this machine and to what NO_PROXY names', async () => {
    const server = createSecureServer(SELF_SIGNED, (_, response) =>
      response.setHeader('Content-Type', 'application/json').end('{"version":"7.7.7"}'),
    ).listen(0, '127.0.0.1');
    const connected: string[] = [];
    const proxy = createServer(({ url = '' }, response) => {
      connected.push(url);
      response.writeHead(502).end();
    })
      .on('connect', ({ url = '' }, socket) => {
        connected.push(url);
        const { port } = server.address() as AddressInfo;
        const onward = connect(port, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          onward.pipe(socket).pipe(onward);
        });
        for (const end of [socket, onward]) end.on('error', () => undefined);
      })
      .listen(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(proxy, 'listening')]);
    const { port } = server.address() as AddressInfo;
    const version = (env: Record<string, string>, host = 'localhost'): Promise<Record<string, unknown>> =>
      cli.json(['version', '--server', `https://${host}:${port}`], 0, { env });
    try {
      expect(await version({})).toMatchObject({ server: null });
      const trusting = { ARMATURE_CA_FILE: file('ca.pem', SELF_SIGNED.cert) };
      expect(await version(trusting)).toMatchObject({ server: '7.7.7' });
      expect(connected).toEqual([]);
      const other = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const through = { ...trusting, HTTPS_PROXY: other, HTTP_PROXY: other };
      expect(await version(through)).toMatchObject({ server: '7.7.7' });
      expect(await cli.json(['whoami'], 0, { env: through })).toMatchObject({ email: world.admin.email });
      expect(await version({ ...through, NO_PROXY: 'armature.test' }, 'armature.test')).toMatchObject({ server: null });
      expect(connected).toEqual([]);
      expect(await version(through, 'armature.test')).toMatchObject({ server: '7.7.7' });
      expect(connected).toEqual([`armature.test:${port}`]);
    } finally {
      server.close();
      proxy.close();
    }
  }, 120_000);
});

describe('records', () => {
  it('are made, read, listed and deleted, by names where these are unique', async () => {
    const made = await cli.call(['create', 'environment', 'qa', '--set', 'tier=staging', '-o', 'name']);
    expect(made).toMatchObject({ code: 0, out: 'environment/qa\n' });
    expect(await cli.json(['get', 'env', 'qa'])).toMatchObject({ name: 'qa', tier: 'staging' });
    const id = (await cli.call(['get', 'environment', 'qa', '-o', 'jsonpath={.id}'])).out;
    expect(await cli.json(['get', 'environment', id])).toMatchObject({ name: 'qa' });
    expect(parse((await cli.call(['get', 'environment', id, '-o', 'yaml'])).out)).toMatchObject({ id });
    expect((await cli.json<unknown[]>(['list', 'environments', '--limit', '1'])).length).toBe(1);

    for (const name of ['twin', 'twin']) await cli.call(['create', 'workspace', name]);
    const twins = await cli.call(['get', 'workspace', 'twin']);
    const ids = (await cli.call(['list', 'workspaces', '-o', 'jsonpath={[?(@.name=="twin")].id}'])).out.split(' ');
    expect(twins).toMatchObject({ code: 1, out: '' });
    for (const each of ids) expect(twins.err).toContain(each);
    expect((await cli.call(['get', 'workspace', ids[0] ?? '', '-o', 'name'])).out).toBe(`workspace/${ids[0]}\n`);

    expect(await cli.call(['delete', 'environment', 'qa'])).toMatchObject({ code: 64, out: '' });
    expect(await cli.json(['get', 'environment', 'qa'])).toMatchObject({ name: 'qa' });
    expect(await cli.call(['delete', 'environment', 'qa', '--yes'])).toMatchObject({ code: 0 });
    expect(await cli.call(['get', 'environment', 'qa'])).toMatchObject({ code: 1, out: '' });
    const secret = await cli.call(['create', 'credential', 'x', '--set', 'secret.token=abc']);
    expect(secret).toMatchObject({ code: 64, err: expect.stringContaining('-f') as string });
  }, 120_000);

  it('are reached by any call of the API; wrong use is 64, and failures leave standard output empty', async () => {
    expect(JSON.parse((await cli.call(['api', 'GET', '/api/system/version'])).out)).toMatchObject({ name: 'armature' });
    const body = JSON.stringify({ name: 'by-hand', organization_id: world.organization });
    const posted = await cli.call(['api', 'post', '/api/workspaces', '--data', '-', '-o', 'jsonpath={.name}'], {
      input: body,
    });
    expect(posted).toMatchObject({ code: 0, out: 'by-hand' });
    const uses = [
      [['api', 'GET', '/api/nothing'], 1],
      [['api', 'POST', '/api/workspaces', '--data', '{"name":""}'], 1],
      [['api', 'GET', '/x', '-H', 'Authorization: Bearer x'], 64],
      [['list', 'spoons'], 64],
      [['nothing'], 64],
      [['plan', 'shop'], 64],
      [['list', 'designs', '-o', 'xml'], 64],
      [['whoami', '-o', 'jsonpath={.email'], 64],
      [['get', 'design', 'nothing'], 1],
      [['whoami', '--context', 'gone'], 1],
      [['whoami', '--server', 'ftp://armature.example'], 64],
      [['whoami', '--server', 'https://user:x@armature.example'], 64],
    ] as const;
    await Promise.all(
      uses.map(async ([args, code]) => {
        const ended = await cli.call([...args]);
        expect({ args, code: ended.code, out: ended.out }).toEqual({ args, code, out: '' });
        expect(ended.err.trim().split('\n').length).toBeGreaterThan(1);
        expect(ended.err).not.toMatch(/^ +at |Node\.js v/m);
      }),
    );
    expect((await cli.call(['api', 'GET', '/api/nothing'])).err).toContain('this server is older');
    expect((await cli.call(['get', 'design', randomUUID()])).err).not.toContain('older');
  }, 120_000);

  it('go to a reader that stops early, and completion knows commands, kinds and formats', async () => {
    const child = cli.start(['api', 'GET', '/api/openapi.json']);
    const { stdout, stderr } = child;
    if (!stdout || !stderr) throw new Error('no output');
    stdout.once('data', () => stdout.destroy());
    const [said, [code]] = await Promise.all([text(stderr), once(child, 'exit')]);
    expect({ code: code as number, said }).toEqual({ code: 0, said: '' });
    // Work ends as it would with a reader.
    const unread = cli.start(['get', 'design', 'nothing']);
    unread.stderr?.destroy();
    expect(await once(unread, 'exit')).toEqual([1, null]);
    file('unread.yaml', 'apiVersion: armature.dev/v1\nkind: Workspace\nmetadata: { name: unread }\nspec: {}\n');
    const changes = cli.start(['apply', '-f', 'unread.yaml', '--plan', '--exit-code', '-o', 'json']);
    changes.stdout?.destroy();
    expect(await once(changes, 'exit')).toEqual([2, null]);
    const complete = async (...words: string[]): Promise<string[]> =>
      (await cli.call(['__complete', ...words])).out.trim().split('\n');
    expect(await complete('dep')).toEqual(['deploy']);
    expect(await complete('context', '')).toEqual(['list', 'use', 'delete']);
    expect(await complete('get', 'envi')).toEqual(['environment']);
    expect(await complete('plan', 'shop', '--ch')).toEqual(['--changes-only']);
    expect(await complete('list', 'designs', '-o', 'js')).toEqual(['json', 'jsonpath=']);
    mkdirSync(join(cli.folder, 'bin'), { recursive: true });
    copyFileSync(cli.program, join(cli.folder, 'bin/armature'));
    const bash = `PATH="${cli.folder}/bin:$PATH"; chmod +x ${cli.folder}/bin/armature; source <(armature completion bash)
      COMP_WORDS=(armature roll); COMP_CWORD=1; _armature; echo "\${COMPREPLY[@]}"`;
    expect((await run('bash', ['-c', bash])).stdout).toBe('rollback\n');
  }, 120_000);
});

describe('events', () => {
  it('are replayed and followed, one JSON object a line', async () => {
    const child = cli.start(['events', '--follow', '--since', '0', '-o', 'json']);
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
    await until(() => out.includes('\n'), 20_000);
    await cli.call(['create', 'team', 'followers']);
    await until(() => out.includes('Team followers'), 20_000);
    child.kill('SIGINT');
    await once(child, 'exit');
    const sequences = out
      .trim()
      .split('\n')
      .map((line) => Number((JSON.parse(line) as { sequence: string }).sequence));
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    const last = await cli.call(['events', '--since', String(sequences.length - 1)]);
    expect(last.out).toMatch(/^\d+ +\d+s +team\.created +Team followers/);
  }, 120_000);
});

describe('configuration as files', () => {
  const documents = (organization: string): string =>
    `
kind: Team
metadata: { name: operators, organization: ${organization} }
spec: { description: Who operates, members: [${world.admin.email}] }
---
kind: Credential
metadata: { name: metrics, organization: ${organization} }
spec: { type: prometheus, secret: { token: { fromEnv: ARMATURE_SECRET_METRICS } } }
---
kind: Connection
metadata: { name: metrics, organization: ${organization} }
spec: { kind: prometheus, metadata: { url: 'http://127.0.0.1:9' }, credential: metrics }
---
kind: Environment
metadata: { name: live, organization: ${organization} }
spec: { tier: production, required_approvals: 1, connections: [metrics] }
---
kind: Freeze
metadata: { name: feast, organization: ${organization}, environment: live }
spec: { starts_at: '2040-12-24T00:00:00Z', ends_at: '2040-12-27T00:00:00Z' }
---
kind: Workspace
metadata: { name: orders, organization: ${organization} }
spec: { environments: [live], teams: [{ name: operators, role: editor }] }
---
kind: Quota
metadata: { organization: ${organization}, workspace: orders }
spec: { max_designs: 7 }
---
kind: Policy
metadata: { name: labelled, organization: ${organization}, workspace: orders }
spec: { expression: 'has(component.metadata.labels)', mode: warn, kinds: [Deployment] }
---
kind: Webhook
metadata: { organization: ${organization}, workspace: orders }
spec: { url: 'https://receiver.example/hook', events: [deployment.success] }
---
kind: Webhook
metadata: { organization: ${organization}, workspace: orders }
spec: { url: { fromEnv: ARMATURE_SECRET_HOOK }, events: [deployment.failure] }
---
kind: Webhook
metadata: { organization: ${organization} }
spec: { url: 'https://receiver.example/organization', events: [workspace.created] }
---
kind: ServiceAccount
metadata: { name: robot, organization: ${organization} }
spec: { role: member }
---
kind: Member
metadata: { name: robot, organization: ${organization}, workspace: orders }
spec: { role: editor }
---
kind: Design
metadata: { name: page, organization: ${organization}, workspace: orders }
spec: { source_content: { fromFile: sources/page.yaml } }
---
kind: Filter
metadata: { name: headers, organization: ${organization}, workspace: orders }
spec: { module: { fromFile: sources/headers.wasm }, config: 'add: x-one' }
---
kind: PerformanceProfile
metadata: { name: front, organization: ${organization}, workspace: orders }
spec: { endpoints: ['https://example.com/'], method: POST, request_body: '{}', qps: 3, duration: 10s, metrics_connection: metrics }
`.replace(/^kind:/gm, 'apiVersion: armature.dev/v1\nkind:');

  const env = {
    ARMATURE_SECRET_METRICS: 'a-secret-token',
    ARMATURE_SECRET_HOOK: 'https://hooks.example/services/a1b2c3d4e5f6g7h8i9j0k1',
  };
  type Steps = { action: string; kind: string; name: string; reads: string[] }[];

  it('is planned, applied, and the same again changes nothing; the plan names what is read', async () => {
    const path = file('platform/all.yaml', documents('Default').replaceAll('\n', '\r\n'));
    file('platform/sources/page.yaml', configMap('page', 'pages'));
    file('platform/sources/headers.wasm', '\0asm\x01\0\0\0');
    const folder = join(path, '..');
    const planned = await cli.json<Steps>(['apply', '-f', folder, '--plan', '--exit-code'], 2, { env });
    expect(planned.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
      'create ServiceAccount',
      'create Team',
      'create Credential',
      'create Connection',
      'create Environment',
      'create Workspace',
      'create Member',
      'update Quota',
      'create Policy',
      'create Webhook',
      'create Webhook',
      'create Webhook',
      'create Freeze',
      'create Design',
      'create Filter',
      'create PerformanceProfile',
    ]);
    expect(planned.flatMap(({ reads }) => reads)).toEqual([
      'variable ARMATURE_SECRET_METRICS',
      'variable ARMATURE_SECRET_HOOK',
      'file sources/page.yaml',
      'file sources/headers.wasm',
    ]);
    expect(await cli.call(['get', 'workspace', 'orders'])).toMatchObject({ code: 1 });

    const applied = await cli.call(['apply', '-f', folder], { env });
    expect(applied).toMatchObject({ code: 0, err: expect.not.stringContaining('Error') as string });
    expect(applied.out + applied.err).not.toMatch(/a-secret-token|a1b2c3d4/);
    expect(await cli.json(['get', 'design', 'page', '-w', 'orders'])).toMatchObject({ version_number: 1 });
    const again = await cli.json<Steps>(['apply', '-f', folder], 0, { env });
    expect(new Set(again.map(({ action }) => action))).toEqual(new Set(['unchanged']));
    expect((await cli.json<unknown[]>(['list', 'webhooks', '-w', 'orders'])).length).toBe(2);
    const sent = await cli.call(['apply', '-f', folder], { env });
    expect(sent.err).toContain('reads variable ARMATURE_SECRET_METRICS');
    expect(await cli.json(['get', 'design', 'page', '-w', 'orders'])).toMatchObject({ version_number: 1 });

    file(
      'platform/all.yaml',
      documents('Default').replace('max_designs: 7', 'max_designs: 8').replace('[metrics]', '[]'),
    );
    const changed = await cli.json<Steps>(['apply', '-f', folder], 0, { env });
    expect(changed.filter(({ action }) => action === 'update').map(({ kind }) => kind)).toEqual([
      'Environment',
      'Quota',
    ]);
  }, 120_000);

  it('is checked before anything is written', async () => {
    const before = (await world.admin.get(`/api/events?orgID=${world.organization}`)).body.total_count as number;
    const refused = async (content: string, ...said: string[]): Promise<void> => {
      const path = file(`bad-${randomUUID()}/one.yaml`, content);
      const ended = await cli.call(['apply', '-f', path], { env: { OTHER: 'x' } });
      expect({ content, code: ended.code, out: ended.out }).toEqual({ content, code: 1, out: '' });
      for (const words of said) expect(ended.err).toContain(words);
    };
    const workspace = 'apiVersion: armature.dev/v1\nkind: Workspace\nmetadata: { name: never }\n';
    const credential =
      'apiVersion: armature.dev/v1\nkind: Credential\nmetadata: { name: never }\nspec:\n  type: prometheus\n';
    await Promise.all([
      refused(`${workspace}---\nkind: Spoon\n`, 'apiVersion', 'one.yaml:5'),
      refused(`${workspace}spec: { enviroments: [live] }\n`, 'enviroments'),
      refused(`${workspace}spec: { environments: [nowhere] }\n`, 'nowhere'),
      refused(`${workspace}---\n${workspace}`, 'twice'),
      refused(`${workspace}---\n${credential}  secret: { token: in-the-file }\n`, 'fromEnv'),
      refused(`${workspace}---\n${credential}  secret: { token: { fromEnv: OTHER } }\n`, 'OTHER', '--allow-env'),
      refused(`${workspace}---\n${credential}  secret: { token: { fromEnv: ARMATURE_SECRET_X } }\n`, 'not set'),
      refused(`${workspace}---\n${credential}  secret: { token: { fromFile: ../config/config.json } }\n`, 'outside'),
      refused(`${workspace}---\nmetadata: [\n`, 'one.yaml'),
    ]);
    expect((await world.admin.get(`/api/events?orgID=${world.organization}`)).body.total_count).toBe(before);
  }, 120_000);

  it('is exported without secrets, and makes another organization that is equal but for these', async () => {
    const out = join(cli.folder, 'export');
    expect(await cli.call(['export', '--all', '--folder', out])).toMatchObject({ code: 1 });
    for (const id of (await cli.call(['list', 'workspaces', '-o', 'jsonpath={[?(@.name=="twin")].id}'])).out.split(' '))
      await cli.call(['delete', 'workspace', id, '--yes']);
    const users = `/api/identity/orgs/${world.organization}/users`;
    expect(await world.admin.post(users, { email: 'invited@example.com', role: 'member' })).toMatchObject({
      status: 201,
    });
    const above = file('above.yaml', configMap('above', 'pages'));
    expect(await cli.call(['import', above, '--name', '..', '-w', 'orders'])).toMatchObject({ code: 0 });
    expect(await cli.call(['export', '--all', '--folder', out])).toMatchObject({
      code: 0,
      err: expect.stringContaining('https://hooks.example/services/[redacted] of orders is left out') as string,
    });
    expect(readdirSync(join(out, 'sources', 'orders')).sort()).toEqual(['%2E%2E', 'headers', 'page']);
    const files = ((await cli.json<{ file: string }[]>(['export', '--all', '--folder', out])) ?? []).map(
      (each) => each.file,
    );
    const texts = files.map((path) => readFileSync(path, 'utf8'));
    expect(texts.join('')).not.toMatch(/a-secret-token|a1b2c3d4|redacted/);
    const written = texts.flatMap((each) => [...each.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind));
    expect([...new Set(written)].sort()).toEqual([...kindNames].sort());
    expect(texts.join('')).toContain('name: invited@example.com');
    for (const [index, path] of files.entries())
      writeFileSync(
        path,
        (texts[index] ?? '')
          .replaceAll('organization: Default', 'organization: Copy')
          .replace(/(kind: Organization\nmetadata:\n {2}name:) Default/, '$1 Copy'),
      );
    const applied = await cli.call(['apply', '-f', out]);
    expect(applied).toMatchObject({
      code: 0,
      err: expect.stringContaining('credential metrics is not made') as string,
    });
    const copy = join(cli.folder, 'copy');
    await cli.call(['export', '--all', '--folder', copy, '--organization', 'Copy']);
    const copied = Object.fromEntries(
      files.map((path) => [path, readFileSync(path, 'utf8').replace(/^ {2}credential: .*\n/gm, '')]),
    );
    for (const [path, content] of Object.entries(copied))
      if (!path.includes('credential')) expect(readFileSync(path.replace(out, copy), 'utf8')).toBe(content);
  }, 120_000);

  it('prunes what the files do not have, where they say, and only with --yes', async () => {
    const policies = file(
      'policies.yaml',
      'apiVersion: armature.dev/v1\nkind: Policy\nmetadata: { name: other, workspace: orders }\nspec: { expression: "true", mode: warn }\n',
    );
    expect(await cli.call(['apply', '-f', policies, '--prune'])).toMatchObject({ code: 64, out: '' });
    const chosen = file('chosen.yaml', readFileSync(policies, 'utf8').replace(', workspace: orders', ''));
    const kept = await cli.json<Steps>(['apply', '-f', chosen, '--prune', '--plan', '-w', 'orders']);
    expect(kept.map(({ action, name }) => `${action} ${name}`)).toEqual(['create other']);
    const steps = await cli.json<Steps>(['apply', '-f', policies, '--prune', '--yes']);
    expect(steps.map(({ action, name }) => `${action} ${name}`)).toEqual(['create other', 'delete labelled']);
    expect((await cli.call(['list', 'policies', '-w', 'orders', '-o', 'name'])).out).toBe('policy/other\n');
    expect(await cli.call(['get', 'environment', 'live'])).toMatchObject({ code: 0 });
  }, 120_000);
});

describe('files', () => {
  it('are validated in one call each, which stores nothing; what a cluster refuses is a fault', async () => {
    const before = (await cli.json<unknown[]>(['list', 'designs'])).length;
    const sound = file('sound.yaml', configMap('sound', 'pages').replaceAll('\n', '\r\n'));
    const dropped = file('dropped.yaml', `${configMap('dropped', 'pages')}datas: { a: b }\n`);
    expect(await cli.json(['validate', sound, dropped])).toEqual([
      expect.objectContaining({ file: sound, source_type: 'kubernetes', components: 1, warnings: [] }),
      expect.objectContaining({
        warnings: [
          expect.objectContaining({ keyword: 'unknown-field', detail: expect.stringContaining('datas') as string }),
        ],
      }),
    ]);
    const bad = file('bad.yaml', configMap('bad', 'pages').replace('"1"', '1') + '---\n' + configMap('twice', 'pages'));
    const refused = await cli.call(['validate', sound, bad]);
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/bad\.yaml: ConfigMap bad, data\.value: /) as string,
    });
    const unknown = file('unknown.yaml', 'apiVersion: nobody.example/v1\nkind: Spoon\nmetadata: { name: one }\n');
    expect(await cli.call(['validate', unknown])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Spoon') as string,
    });
    expect((await cli.json<unknown[]>(['list', 'designs'])).length).toBe(before);
  }, 120_000);
});

describe('the program', () => {
  it('reads at its start only what it needs: the rest are texts until they are imported', async () => {
    const lines = readFileSync(cli.program, 'utf8').split('\n');
    const parts = lines.filter((line) => line.startsWith('parts["'));
    expect(parts.length).toBeGreaterThan(3);
    const code = lines.slice(0, lines.indexOf('/*')).filter((line) => !parts.includes(line));
    expect(code.join('\n').length).toBeLessThan(5_000);
    expect(await cli.call(['--version'])).toEqual({ code: 0, out: '0.1.0\n', err: '' });
  });

  it('is one file of less than 2 MB that names the licences of what is in it', () => {
    const program = readFileSync(cli.program, 'utf8');
    expect(Buffer.byteLength(program)).toBeLessThan(2_000_000);
    for (const name of ['commander', 'undici', 'yaml', 'tar-stream'])
      expect(program).toMatch(new RegExp(`^${name} [\\d.]+, `, 'm'));
  });
});

requires('KUBEBUILDER_ASSETS', 'the command line with a cluster', (assets) => {
  let editor: Person;
  let other: CommandLine;
  let kubeconfig: string;

  beforeAll(async () => {
    kubeconfig = (await sharedCluster()).kubeconfigFile;
    editor = await world.person('admin');
    other = await CommandLine.open();
    await other.signIn(world.baseUrl, editor.email ?? '', PASSWORD);
  });

  it('makes designs of what runs, and shows logs', async () => {
    const kubectl = (...args: string[]) => run(join(assets, 'kubectl'), ['--kubeconfig', kubeconfig, ...args]);
    await kubectl('create', 'namespace', 'cli-runs');
    await kubectl('create', 'configmap', 'runs', '-n', 'cli-runs', '--from-literal=a=1');
    await cli.call(['cluster', 'add', '-e', 'running', '--kube-context', 'test'], { env: { KUBECONFIG: kubeconfig } });
    const words = ['import', '--from-cluster', 'test', '--namespace', 'cli-runs'];
    const preview = await cli.call([...words, '--preview']);
    expect(preview).toMatchObject({ code: 0, out: expect.stringMatching(/cli-runs +runs +ConfigMap\/runs/) as string });
    expect(preview.err).toMatch(/Would make 1 designs of 1 objects in workspace Default\. Left out: .*GENERATED/);
    const { designs } = (await cli.json(words)) as unknown as { designs: { deploy: object }[] };
    const adopt = ['api', 'POST', '/api/pattern/deploy', '--data', JSON.stringify(designs[0]?.deploy)];
    expect(await cli.json(adopt)).toMatchObject({ status: 'succeeded', resources: [{ action: 'unchanged' }] });
    expect(await cli.call(['logs', 'runs', '-e', 'running'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no object of the deployment runs pods') as string,
    });
    expect(await cli.call(['import', '--from-cluster', 'test'])).toMatchObject({ code: 64 });
    expect(await cli.call(['import'])).toMatchObject({ code: 64 });
  }, 60_000);

  it('does the main job in five commands, and shows what happened', async () => {
    file('shop.yaml', namespaced('cli-shop', configMap('page', 'cli-shop')));
    const added = await cli.call(['cluster', 'add', '-e', 'staging', '-o', 'name'], {
      env: { KUBECONFIG: kubeconfig },
    });
    expect(added).toMatchObject({ code: 0, out: 'connection/test\n' });
    const first = await cli.json(['import', 'shop.yaml']);
    expect(first).toMatchObject({ name: 'shop', version_number: 1 });
    expect(await cli.json(['import', 'shop.yaml'])).toMatchObject({ id: first['id'], version_number: 1 });
    const planned = await cli.call(['plan', 'shop', '-e', 'staging', '--exit-code']);
    expect(planned).toMatchObject({ code: 2 });
    expect(planned.out).toMatch(/^ +\+ Namespace cli-shop will be created$/m);
    expect(planned.out).toMatch(/Plan for staging: 2 to create, 0 to change, 0 to delete, 0 unchanged\./);
    const planId = (await cli.json(['plan', 'shop', '-e', 'staging']))['plan_id'] as string;
    const deployed = await cli.json(['deploy', 'shop', '-e', 'staging', '--plan', planId, '--wait']);
    expect(deployed).toMatchObject({ status: 'succeeded', plan_id: planId });
    expect(await cli.call(['plan', 'shop', '-e', 'staging', '--exit-code'])).toMatchObject({ code: 0 });

    await run(join(assets, 'kubectl'), [
      '--kubeconfig',
      kubeconfig,
      '-n',
      'cli-shop',
      'patch',
      'configmap',
      'page',
      '-p',
      '{"data":{"value":"by hand"}}',
    ]);
    const drift = await cli.call(['drift', 'shop', '-e', 'staging', '--exit-code']);
    expect(drift).toMatchObject({
      code: 2,
      out: expect.stringMatching(/~ \/data\/value: "1" -> "by hand" \(by kubectl/) as string,
    });
    expect(await cli.json(['deploy', 'shop', '-e', 'staging', '--force'])).toMatchObject({ status: 'succeeded' });

    file('shop.yaml', namespaced('cli-shop', configMap('page', 'cli-shop', '2')));
    expect(await cli.json(['import', 'shop.yaml'])).toMatchObject({ version_number: 2 });
    const change = await cli.call(['plan', 'shop', '-e', 'staging', '--changes-only']);
    expect(change.out).toMatch(/^ +~ ConfigMap cli-shop\/page will be changed\n +~ \/data\/value: "1" -> "2"$/m);
    expect(change.out).not.toContain('Namespace');
    expect((await cli.call(['diff', 'shop'])).out).toContain('/configuration/data/value: "1" -> "2"');
    await cli.call(['deploy', 'shop', '-e', 'staging']);
    await cli.call(['deploy', 'shop', '-e', 'staging']);
    const back = await cli.json(['rollback', 'shop', '-e', 'staging']);
    expect(back).toMatchObject({ action: 'rollback', design_version: 1, status: 'succeeded' });
    expect(await cli.json(['status', 'shop'])).toMatchObject([{ design_version: 1 }]);
    expect((await cli.call(['status', 'shop', '-e', 'staging', '-o', 'name'])).out).toBe(
      `deployment/${back['id'] as string}\n`,
    );

    expect((await cli.call(['export', 'shop', '--format', 'kubernetes'])).out).toContain('cli-shop');
    expect((await cli.call(['diagram', 'shop'])).out).toMatch(/^<svg/);
    const events = (await cli.call(['events', '-o', 'json'])).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ category: 'deployment', action: 'rolled_back' });

    expect(await cli.call(['undeploy', 'shop', '-e', 'staging'])).toMatchObject({ code: 64, out: '' });
    expect(await cli.json(['undeploy', 'shop', '-e', 'staging', '--yes'])).toMatchObject({ status: 'undeployed' });
  }, 120_000);

  it('ends with 3 when it waits, 4 when it is refused, 5 when it was rolled back, and prints the record for 3 and 5', async () => {
    file('gate.yaml', namespaced('cli-gate', configMap('gate', 'cli-gate')));
    await cli.call(['import', 'gate.yaml']);
    await cli.call(['create', 'environment', 'guarded', '--set', 'tier=production', '--set', 'required_approvals=2']);
    await cli.call(['cluster', 'add', '-e', 'guarded'], { env: { KUBECONFIG: kubeconfig } });
    const refused = await cli.call(['deploy', 'gate', '-e', 'guarded', '-o', 'json']);
    expect(refused).toMatchObject({ code: 4, out: '', err: expect.stringContaining('--request-approval') as string });
    const waiting = await cli.json(['deploy', 'gate', '-e', 'guarded', '--request-approval'], 3);
    expect(waiting).toMatchObject({ status: 'pending_approval' });
    const id = waiting['id'] as string;
    expect(await cli.call(['approve', id])).toMatchObject({ code: 4, out: '' });
    expect(await other.json(['approve', id, '--reason', 'looks right'])).toMatchObject({ status: 'succeeded' });
    expect((await cli.call(['plan', 'gate', '-e', 'guarded'])).out).toContain(
      'guarded asks for 2 admins of the workspace to approve',
    );
    const second = await cli.json(['undeploy', 'gate', '-e', 'guarded', '--yes', '--request-approval'], 3);
    expect(await other.json(['reject', second['id'] as string, '--reason', 'not now'])).toMatchObject({
      status: 'cancelled',
    });

    const policy = [
      'create',
      'policy',
      'none',
      '--set',
      'expression=component.metadata.name != "gate"',
      '--set',
      'mode=enforce',
      '--set',
      'kinds=["ConfigMap"]',
    ];
    expect(await cli.call(policy)).toMatchObject({ code: 0 });
    await cli.call(['cluster', 'add', '-e', 'staging'], { env: { KUBECONFIG: kubeconfig } });
    file('ruled.yaml', namespaced('cli-ruled', configMap('gate', 'cli-ruled')));
    await cli.call(['import', 'ruled.yaml']);
    const forbidden = await cli.call(['deploy', 'ruled', '-e', 'staging']);
    expect(forbidden).toMatchObject({ code: 4, out: '', err: expect.stringContaining('POLICY_VIOLATION') as string });
    const plan = await cli.call(['plan', 'ruled', '-e', 'staging', '--exit-code']);
    expect(plan).toMatchObject({ code: 4, out: '', err: expect.stringContaining('policy none') as string });
    await cli.call(['delete', 'policy', 'none', '--yes']);

    const pod = `apiVersion: v1\nkind: Pod\nmetadata: { name: bad, namespace: cli-gate, labels: { test-pods: crash } }\nspec: { restartPolicy: Never, containers: [{ name: app, image: app }] }\n`;
    file('other.yaml', namespaced('cli-other', pod.replaceAll('cli-gate', 'cli-other')));
    await cli.call(['import', 'other.yaml']);
    const ended = await cli.call(['deploy', 'other', '-e', 'staging', '--wait', '--timeout', '60', '-o', 'json']);
    expect(ended).toMatchObject({ code: 5 });
    expect(JSON.parse(ended.out)).toMatchObject({ status: 'rolled_back' });
    expect(ended.err).toMatch(/Pod cli-other\/bad: .*NOT_READY/);
  }, 120_000);

  it('says at Ctrl-C that a deployment goes on, and how to follow or cancel it', async () => {
    const pod = `apiVersion: v1\nkind: Pod\nmetadata: { name: slow, namespace: cli-slow, labels: { test-pods: never-ready } }\nspec: { containers: [{ name: app, image: app }] }\n`;
    file('slow.yaml', namespaced('cli-slow', pod));
    await cli.call(['import', 'slow.yaml']);
    const child = cli.start(['deploy', 'slow', '-e', 'staging', '--wait', '--timeout', '120']);
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    await until(() => said.includes('waiting'), 30_000);
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(130);
    const [, id = ''] = /POST \/api\/deployments\/([0-9a-f-]+)\/cancel/.exec(said) ?? [];
    expect(said).toContain('goes on');
    expect(await cli.json(['get', 'deployment', id])).toMatchObject({ status: 'running' });
    expect(await cli.call(['api', 'POST', `/api/deployments/${id}/cancel`])).toMatchObject({ code: 0 });
  }, 120_000);

  it('reads templates of jsonpath as kubectl does', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', labels: { app: 'web', 'example.org/name': 'x<y>&z' } },
      spec: {
        hostNetwork: true,
        terminationGracePeriodSeconds: 30,
        containers: [
          {
            name: 'a',
            image: 'i:1',
            ports: [
              { containerPort: 80, name: 'http' },
              { containerPort: 443, name: 'https' },
            ],
          },
          { name: 'b', image: 'i:2', env: [{ name: 'X', value: 'y' }] },
          { name: 'c', image: 'i:3' },
        ],
      },
    };
    const path = file('pod.json', JSON.stringify(pod));
    const kubectl = async (output: string): Promise<{ out: string; failed: boolean }> =>
      run(join(assets, 'kubectl'), ['patch', '--local', '-f', path, '--type=merge', '-p', '{}', '-o', output]).then(
        ({ stdout }) => ({ out: stdout, failed: false }),
        () => ({ out: '', failed: true }),
      );
    const data: unknown = JSON.parse((await kubectl('json')).out);
    for (const template of TEMPLATES)
      expect({ template, ...evaluate(template, data) }).toEqual({
        template,
        ...(await kubectl(`jsonpath=${template}`)),
      });
    const name = await cli.call(['get', 'environment', 'staging', '-o', "jsonpath={.name}{'\\n'}"]);
    expect(name).toMatchObject({ code: 0, out: 'staging\n' });
  }, 120_000);
});

/** As the command line prints it. */
function evaluate(template: string, data: unknown): { out: string; failed: boolean } {
  try {
    return { out: parseJsonPath(template)(data), failed: false };
  } catch {
    return { out: '', failed: true };
  }
}

const TEMPLATES = [
  '{.metadata.name} of {.kind}',
  '.metadata.name',
  '{.spec.containers[*].name}',
  '{.spec.containers[-1:].name}',
  '{.spec.containers[::2].name}',
  '{.spec.containers[5].name}',
  '{.spec.containers[0,2].name}',
  "{.spec.containers[?(@.name=='b')].image}",
  '{.spec.containers[?(@.env)].name}',
  '{.spec.containers[0].ports[?(@.containerPort>100)].name}',
  "{range .spec.containers[*]}{.name}{'\\t'}{.image}{'\\n'}{end}",
  '{range .spec.containers[*]}[{.name}, {range .ports[*]}{.containerPort} {end}]{end} done',
  '{range .nope[*]}x{end}after',
  '{..containerPort}',
  '{.metadata.labels}',
  '{.spec.containers[1]}',
  '{.metadata.labels.example\\.org/name}',
  "{.metadata['name','kind']}",
  '{.nope.deeper}',
  '{.spec.hostNetwork} {.spec.terminationGracePeriodSeconds}',
  '{.spec.containers[*]',
  '{end}',
  '{.spec.containers[?(@.name<2)].name}',
  '{foo}',
];
