import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { createApp } from '../src/app.setup.js';
import { FirstStartService } from '../src/auth/first-start.service.js';
import { Env } from '../src/core/config/env.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { Vault } from '../src/core/crypto/vault.service.js';
import { moduleOf } from '../src/filters/wasm/module.fixture.js';
import { cloneDatabase } from './support/database.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { type Json, Person } from './support/person.js';
import { compiledProgram } from './support/programs.js';
import { World } from './support/world.js';

const [OLD, NEW] = [randomBytes(32).toString('hex'), randomBytes(32).toString('base64')];
const JWT_SECRET = 'a secret for tests that is long enough';
const TOKEN = `token-${randomUUID()}`;

let world: World;
let url: string;
const servers: INestApplication[] = [];

beforeAll(async () => {
  world = await World.start({ ENCRYPTION_KEY: OLD, JWT_SECRET });
  url = world.get(DatabaseUrl).href;
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await world.stop();
});

/** Another server on the same database. */
async function serve(keys: Record<string, string>, databaseUrl = url): Promise<INestApplication> {
  const settings = { NODE_ENV: 'test', LOG_LEVEL: 'silent', LOG_FORMAT: 'json', RATE_LIMIT: 'off', DATABASE_POOL: '5' };
  const app = await createApp(Env.parse({ ...settings, JWT_SECRET, ...keys }), databaseUrl);
  servers.push(app);
  await app.listen(0, '127.0.0.1');
  return app;
}

const callerOf = async (app: INestApplication): Promise<Person> =>
  new Person((await app.getUrl()).replace('[::1]', '127.0.0.1'), world.admin.token);

/** Runs the program as an operator would. */
async function rotate(
  keys: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const flags = [await compiledProgram('src/cli.ts'), 'keys:rotate', ...args];
  const env = { PATH: process.env['PATH'], NODE_ENV: 'test', JWT_SECRET, DATABASE_URL: url, ...keys };
  return new Promise((resolve) =>
    execFile(process.execPath, flags, { env, cwd: join(import.meta.dirname, '..') }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    ),
  );
}

const count = async (where: string): Promise<number> =>
  Number((await world.sql<{ n: string }>(`SELECT count(*) AS n FROM data_key WHERE ${where}`))[0]?.n);

describe('keys', () => {
  let connection: Json;
  let design: Json;
  let filter: Json;
  const content = `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: ${TOKEN}}\n`;
  const once = { headers: { 'Idempotency-Key': randomUUID() } };
  let first: Json;
  let before: Buffer;

  beforeAll(async () => {
    const receiver = createServer((request, response) => {
      const known = request.headers.authorization === `Bearer ${TOKEN}`;
      response.writeHead(known ? 200 : 401).end('{"status":"success","data":{"version":"1"}}');
    }).listen(0, '127.0.0.1');
    receiver.unref();
    await new Promise((resolve) => receiver.once('listening', resolve));
    const { admin } = world;
    const made = await admin.post('/api/integrations/connections', {
      name: 'metrics',
      kind: 'prometheus',
      metadata: { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}` },
      credential_secret: { token: TOKEN },
    });
    expect(made).toMatchObject({ status: 201 });
    connection = made.body;
    const [row] = await world.sql<{ secret: Buffer }>('SELECT secret FROM credential WHERE id = $1', [
      connection.credential_id,
    ]);
    before = row?.secret ?? Buffer.of();
    const imported = await admin.upload('/api/pattern/import', 'secret.yaml', content);
    expect(imported).toMatchObject({ status: 201 });
    design = imported.body;
    const filter_data = { filter_file: moduleOf().toString('base64') };
    filter = (await admin.post('/api/filter', { name: 'f', filter_data, config: TOKEN })).body;
    const endpoints = ['http://no-such-name.invalid/'];
    await admin.post('/api/performance/profiles', { name: 'p', endpoints, request_headers: { authorization: TOKEN } });
    const outsider = await world.outsider();
    await outsider.post('/api/integrations/credentials', { name: 'x', type: 'y', secret: { token: TOKEN } });
    first = await admin.post('/api/environments', { name: 'once', organization_id: world.organization }, once);
    expect(first.status).toBe(201);
  }, 60_000);

  /** Every sealed thing, through a server. */
  async function opens(person: Person): Promise<unknown> {
    const ping = await person.post(`/api/integrations/connections/${connection.id}/ping`);
    const read = await person.get(`/api/pattern/${design.id}?populate=source_content`);
    const shown = await person.get(`/api/filter/${filter.id}`);
    const again = await person.post('/api/environments', { name: 'once', organization_id: world.organization }, once);
    return [
      ping.status,
      read.body.source_content.includes(TOKEN),
      read.body.pattern_file.includes(TOKEN),
      shown.body.filter_file === moduleOf().toString('base64'),
      shown.body.filter_resource,
      again.body.id,
      again.headers.get('idempotency-replayed'),
    ];
  }
  const all = (): unknown => [200, true, true, true, TOKEN, first.body.id, 'true'];

  it('change while servers run; the old one can be taken away', async () => {
    expect(await opens(world.admin)).toEqual(all());
    const both = { ENCRYPTION_KEY: NEW, ENCRYPTION_PREVIOUS_KEYS: OLD };
    const people = [await callerOf(await serve(both)), await callerOf(await serve(both))];
    expect(await count('true')).toBe(3);

    let rotating = true;
    const seen: unknown[] = [];
    const watch = people.map(async (person) => {
      while (rotating) seen.push(await opens(person));
    });
    const wrapped = await rotate(both);
    const renewed = await rotate(both, '--data-keys');
    rotating = false;
    await Promise.all(watch);
    expect([wrapped.err, wrapped.code, renewed.err, renewed.code]).toEqual(['', 0, '', 0]);
    expect(wrapped.out).toContain('rewrapped 3 data keys');
    expect(renewed.out).toContain('created 3 new data keys');
    expect(renewed.out).toContain('credential.secret: re-encrypted 2 values\n');
    const single = ['design_version.content', 'design_version.source', 'filter.content', 'filter.resource'];
    single.push('idempotency_key.answer', 'performance_profile.content');
    for (const column of single) expect(renewed.out).toContain(`${column}: re-encrypted 1 value\n`);
    expect(renewed.out).toMatch(/earlier data keys that remain: 3; run this command again after \d{4}-/);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.filter((each) => JSON.stringify(each) !== JSON.stringify(all()))).toEqual([]);
    for (const person of people) expect(await opens(person)).toEqual(all());

    const alone = await callerOf(await serve({ ENCRYPTION_KEY: NEW }));
    expect(await opens(alone)).toEqual(all());
    await expect(serve({ ENCRYPTION_KEY: OLD })).rejects.toThrow(/encrypted with the key [0-9a-f]{16}/);
    const blind = await rotate({ ENCRYPTION_KEY: OLD });
    expect(blind).toMatchObject({
      code: 1,
      err: expect.stringMatching(/encrypted with the key [0-9a-f]{16}/) as string,
    });
  }, 180_000);

  it('that were replaced go once nothing uses them, and not before', async () => {
    const keys = { ENCRYPTION_KEY: NEW };
    // What a server that had not asked yet sealed with the data key that it knew.
    await world.sql(`UPDATE credential SET secret = $1 WHERE id = $2`, [before, connection.credential_id]);
    // What was damaged does not open, and keeps its data key.
    const damage = `INSERT INTO idempotency_key (caller, route, key, digest, answer) VALUES ('a', 'b', 'c', 'd', $1)`;
    await world.sql(damage, [Buffer.concat([before.subarray(0, 17), Buffer.alloc(40)])]);
    const young = await rotate(keys, '--data-keys');
    expect(young.out).toContain('credential.secret: re-encrypted 1 value\n');
    expect(young.out).toContain('deleted 0 unused data keys');
    expect(young).toMatchObject({ code: 1, err: expect.stringContaining('idempotency_key.answer of a b c') as string });
    await world.sql(`UPDATE data_key SET retired_at = now() - interval '2 hours' WHERE retired_at IS NOT NULL`);
    const old = await rotate(keys, '--data-keys');
    expect(old.out).toMatch(/no data key was created[^]*deleted 2 unused data keys\n.*idempotency_key.answer/);
    await world.sql(`DELETE FROM idempotency_key WHERE caller = 'a'`);
    const finished = await rotate(keys, '--data-keys');
    expect(finished).toMatchObject({
      code: 0,
      out: expect.stringContaining('deleted 1 unused data key\n') as string,
    });
    expect(await count('true')).toBe(3);
    expect(await opens(await callerOf(await serve(keys)))).toEqual(all());
  }, 120_000);

  it('are explained', async () => {
    expect((await rotate({}, '--help')).out).toContain('armature-server keys:rotate --data-keys');
  });
});

describe('the vault', () => {
  it('seals for twenty callers at once who each hold one of five connections', async () => {
    const { url: own, drop } = await cloneDatabase();
    const app = await serve(
      { ENCRYPTION_KEY: NEW, ADMIN_EMAIL: 'a@example.org', ADMIN_PASSWORD: 'long enough 1' },
      own,
    );
    await app.get(FirstStartService).seed(() => Promise.resolve());
    const [vault, unit] = [app.get(Vault), app.get(UnitOfWork)];
    const organization = (await unit.manager.query<{ id: string }[]>('SELECT id FROM organization'))[0]?.id ?? '';
    const sealed = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        unit.run(async () => {
          await unit.manager.query('SELECT pg_sleep(0.02)');
          return vault.seal(organization, `text ${index}`, 'here');
        }),
      ),
    );
    const opened = await Promise.all(sealed.map((each) => vault.open(each, 'here')));
    expect(opened.map(String)).toEqual(Array.from({ length: 20 }, (_, index) => `text ${index}`));
    expect(new Set(sealed.map((each) => each.subarray(1, 17).toString('hex'))).size).toBe(1);
    await expect(vault.open(sealed[0] ?? Buffer.of(), 'there')).rejects.toThrow();
    await expect(vault.open(Buffer.from('plain'), 'here')).rejects.toThrow('not a sealed value');

    // A key that was made in a transaction that is undone is not kept in mind.
    await unit.manager.query('DELETE FROM data_key WHERE organization_id IS NULL');
    await unit
      .run(async () => {
        await vault.seal(null, 'x', 'here');
        throw new Error('undone');
      })
      .catch(() => undefined);
    expect(String(await vault.open(await vault.seal(null, 'y', 'here'), 'here'))).toBe('y');
    await app.close();
    servers.splice(servers.indexOf(app), 1);
    await drop();
  }, 60_000);
});
