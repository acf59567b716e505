import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BuiltServer, bundledModules } from './support/built-server.js';
import { CommandLine } from './support/command-line.js';
import { cloneDatabase, type TestDatabase } from './support/database.js';
import { MailServer } from './support/mail-server.js';
import { Person } from './support/person.js';
import { PASSWORD, SETTINGS } from './support/settings.js';
import { startBuiltWorlds, World } from './support/world.js';
import { testRunFolder } from './support/test-run.js';
import { NEW_DESIGN } from './support/workspace-scene.js';

const ROOT = join(import.meta.dirname, '..');
const ADMIN = { email: SETTINGS.ADMIN_EMAIL, password: SETTINGS.ADMIN_PASSWORD };
/** A build from nothing takes some seconds on an idle machine. */
const BUILD_MS = 300_000;

/** Packages whose classes, symbols or registries are compared by identity. */
const SINGLE = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/graphql',
  '@nestjs/swagger',
  'class-validator',
  'graphql',
  'graphql-subscriptions',
  'pg',
  'prom-client',
  'reflect-metadata',
  'rxjs',
  'typeorm',
];

startBuiltWorlds();

// The walk over more than half of all operations, and the main job of the README on a real API server, here by the built server.
await import('./api-answers.e2e-spec.js');
await import('./readme.e2e-spec.js');

describe('the bundle', () => {
  it('has each package once', () => {
    const copies = (name: string): string[] => [
      ...new Set(
        [...bundledModules()].flatMap((path) => {
          const at = path.lastIndexOf(`node_modules/${name}/`);
          return at < 0 || path.indexOf('node_modules/', at + 1) > 0 ? [] : [path.slice(0, at)];
        }),
      ),
    ];
    expect(Object.fromEntries(SINGLE.map((name) => [name, copies(name)]))).toEqual(
      Object.fromEntries(SINGLE.map((name) => [name, ['']])),
    );
  });
});

describe('the built server', () => {
  const mailServer = new MailServer();
  let world: World;
  beforeAll(async () => {
    // Packages that are loaded when they are first needed: a client of Redis, which is not there, and one of mail servers.
    world = await World.start({ REDIS_URL: 'redis://127.0.0.1:1', ...(await mailServer.start()) });
  }, BUILD_MS);
  afterAll(async () => {
    await mailServer.stop();
    // Fails when the server has loaded anything beside its bundle.
    await world.stop();
  });

  it('documents what the sources do: no name of a class and no type of a field is lost', async () => {
    const written = JSON.parse(readFileSync(join(ROOT, 'docs/api/openapi.json'), 'utf8'));
    const served = await fetch(`${world.baseUrl}/api/openapi.json`);
    expect(await served.text()).toBe(JSON.stringify({ ...written, servers: [{ url: world.baseUrl }] }));
    const sdl = await world.admin.get('/api/docs/schema.graphql');
    expect(sdl.body).toBe(readFileSync(join(ROOT, 'docs/api/schema.graphql'), 'utf8'));
  });

  it('serves the pages of the build', async () => {
    for (const page of ['/api/docs', '/api/system/graphql/playground'])
      expect((await world.stranger.get(page)).status).toBe(200);
  });

  it('serves the command line of the build with its hash, by which an older one replaces itself', async () => {
    const served = await fetch(`${world.baseUrl}/download/armature`);
    const program = Buffer.from(await served.arrayBuffer());
    expect(served.status).toBe(200);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-disposition': 'attachment; filename="armature"',
      'x-content-type-options': 'nosniff',
    });
    const hash = await (await fetch(`${world.baseUrl}/download/armature.sha256`)).text();
    expect(hash).toBe(`${createHash('sha256').update(program).digest('hex')}  armature\n`);
    const cli = await CommandLine.open();
    await cli.signIn(world.baseUrl, world.admin.email ?? '', PASSWORD);
    appendFileSync(cli.program, '// An older one.\n');
    expect(await cli.call(['upgrade'])).toMatchObject({ code: 64 });
    const elsewhere = await cli.call(['upgrade', '--yes', '--server', 'http://127.0.0.1:1']);
    expect(elsewhere).toMatchObject({ code: 1 });
    const upgraded = await cli.call(['upgrade', '--yes']);
    expect(upgraded).toMatchObject({ code: 0, err: expect.stringContaining(hash.slice(0, 64)) as string });
    expect(readFileSync(cli.program)).toEqual(program);
    expect((await cli.call(['upgrade'])).err).toContain('already');
  });

  it('validates bodies by rules that inputs inherit', async () => {
    const { status, body } = await world.admin.post('/api/environments', { name: '', colour: 'red' });
    expect(status).toBe(400);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
      expect.arrayContaining(['/name', '/colour']),
    );
  });

  it('creates designs, and refuses what is none with the faults of a task on its own thread', async () => {
    const created = await world.admin.post('/api/pattern', NEW_DESIGN);
    expect(created.status).toBe(201);
    const broken = await world.admin.upload('/api/pattern/import', 'broken.yaml', 'kind: [');
    expect(broken).toMatchObject({ status: 400, body: { errors: [{ line: 1 }] } });
  });

  it('lets worker threads load their tasks', async () => {
    const manifest = Array.from({ length: 1_500 }, (_, number) => configMap(number)).join('---\n');
    const { status, body } = await world.admin.upload('/api/pattern/import', 'large.yaml', manifest);
    expect([status, body.name]).toEqual([201, 'large']);
    const exported = await world.admin.get(`/api/pattern/download/${body.id}?export=kubernetes`);
    expect(exported.status).toBe(200);
    const broken = await world.admin.upload('/api/pattern/import', 'large.yaml', `${manifest}---\nkind: [`);
    expect(broken).toMatchObject({ status: 400, body: { code: expect.any(String) as string } });
  });

  it('draws designs, and sends mail', async () => {
    const { body: design } = await world.admin.post('/api/pattern', { ...NEW_DESIGN, name: 'drawn' });
    const picture = await world.admin.get(`/api/pattern/${design.id}/diagram.svg`);
    expect(picture).toMatchObject({ status: 200, body: expect.stringContaining('</svg>') as string });
    await world.admin.post(`/api/identity/orgs/${world.organization}/users`, {
      email: 'new@example.org',
      role: 'member',
    });
    expect(await mailServer.to('new@example.org', /(\/invitations\/)/)).toBe('/invitations/');
  });

  it('answers GraphQL, and sends what is subscribed to', async () => {
    const { body } = await world.admin.post('/api/system/graphql/query', { query: '{ me { email } }' });
    expect(body).toEqual({ data: { me: { email: ADMIN.email } } });
    const client = world.admin.socket();
    const first = client.iterate({ query: 'subscription { subscribeEvents { category action } }' }).next();
    const sent = setInterval(() => void world.admin.post('/api/environments', newEnvironment()), 500);
    const { value } = await first.finally(() => clearInterval(sent));
    await client.dispose();
    expect(value).toMatchObject({ data: { subscribeEvents: { category: 'environment', action: 'created' } } });
  });

  const newEnvironment = () => ({ name: `made ${Math.random()}`, organization_id: world.organization });
});

describe('the command line of what is built', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await cloneDatabase()));
  afterAll(() => database.drop());

  it(
    'starts the server, which goes on after its process was killed, and sets passwords',
    async () => {
      const first = await BuiltServer.start(SETTINGS, database.url, ['dist/src/cli.js', 'start']);
      const admin = await first.signIn(ADMIN);
      const { body: design } = await admin.post('/api/pattern', NEW_DESIGN);
      await first.kill();

      const { stdout } = await promisify(execFile)(
        process.execPath,
        [join(ROOT, 'dist/src/cli.js'), 'admin:reset', ADMIN.email],
        { cwd: testRunFolder(), env: { PATH: process.env['PATH'], ...SETTINGS, DATABASE_URL: database.url } },
      );
      const password = /has a new password: (\S+)/.exec(stdout)?.[1] ?? '';

      const second = await BuiltServer.start({ ...SETTINGS, LOG_FORMAT: 'pretty', LOG_LEVEL: 'info' }, database.url);
      expect(
        (await new Person(second.baseUrl, null).post('/api/auth/login', { ...ADMIN, password: PASSWORD })).status,
      ).toBe(401);
      const again = await second.signIn({ ...ADMIN, password });
      expect(await again.get(`/api/pattern/${design.id}`)).toMatchObject({ status: 200, body: { id: design.id } });
      await second.stop();
      expect(second.process.lines.join('\n')).toContain('Stopped after');
    },
    BUILD_MS,
  );
});

const configMap = (number: number): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map-${number}\ndata:\n  text: ${'x'.repeat(60)}\n`;
